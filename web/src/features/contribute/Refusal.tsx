import { messageOf, Problem } from "@/api/problem";
import { Alert } from "@/ui/Alert";
import { LinkButton } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { DescriptorFailure } from "./DescriptorFailure";

interface RefusalProps {
  error: unknown;
  file: string;
  example: string;
}

const notAmongAuthors = "You are not among the authors.";

/** The reason in a few words, for a toast: the line to add, and each fault, stand in the page below it. */
export function reasonOf(error: unknown): string {
  return error instanceof Problem && error.status === 403 && error.fields.length > 0
    ? notAmongAuthors
    : messageOf(error);
}

/** Why a repository was not added or synced, and how to go on. */
export function Refusal({ error, file, example }: RefusalProps) {
  if (error instanceof Problem && error.status === 409) {
    return (
      <Alert failed title={error.message}>
        {error.link && (
          <p>
            <LinkButton to={error.link}>Open the existing entry</LinkButton>
          </p>
        )}
      </Alert>
    );
  }
  const [line] = error instanceof Problem && error.status === 403 ? error.fields : [];
  if (line) {
    return (
      <Alert failed title={notAmongAuthors}>
        <p>
          Only authors add a repository. Write this line into the descriptor, {line.location}, push it, then pull it
          again.
        </p>
        <CopyText label="line" text={line.message} />
      </Alert>
    );
  }
  if (error instanceof Problem && (error.status === 403 || error.status === 0)) {
    return <Alert failed title={error.message} />;
  }
  return <DescriptorFailure error={error} file={file} example={example} />;
}
