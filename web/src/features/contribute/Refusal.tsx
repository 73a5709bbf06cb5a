import { messageOf, Problem } from "@/api/problem";
import { Alert } from "@/ui/Alert";
import { LinkButton } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { DescriptorFailure } from "./DescriptorFailure";
import { DraftFile } from "./DraftFile";
import { refusalMessages as words } from "./Refusal.messages";

interface RefusalProps {
  /** The title for failures caused by neither the descriptor nor the caller. */
  title: string;
  error: unknown;
  file: string;
  example: string;
  /** Of the repository. */
  address: string;
}

/** The reason in a few words, for a toast; the page shows the line to add, or each error. */
export function reasonOf(error: unknown): string {
  return error instanceof Problem && error.status === 403 && error.fields.length > 0
    ? words.notAmongAuthors
    : messageOf(error);
}

/** Explains why a repository was not added or synced, and what to do. */
export function Refusal({ title, error, file, example, address }: RefusalProps) {
  if (error instanceof Problem && error.status === 409) {
    return (
      <Alert failed title={error.message}>
        {error.link && (
          <p>
            <LinkButton to={error.link}>{words.existing}</LinkButton>
          </p>
        )}
      </Alert>
    );
  }
  const [line] = error instanceof Problem && error.status === 403 ? error.fields : [];
  if (line) {
    return (
      <>
        <Alert failed title={words.notAmongAuthors}>
          <p>{words.addLine(line.location)}</p>
          <CopyText label={words.line} text={line.message} />
        </Alert>
        {error instanceof Problem && error.draft && <DraftFile draft={error.draft} />}
      </>
    );
  }
  if (error instanceof Problem && error.status === 403) {
    return <Alert failed title={error.message} />;
  }
  if (error instanceof Problem && (error.status === 422 || error.status === 404)) {
    return <DescriptorFailure error={error} file={file} example={example} address={address} />;
  }
  const unanswered = error instanceof Problem && error.status === 0;
  return (
    <Alert failed title={unanswered ? words.noAnswer : title}>
      <p>
        {messageOf(error)} {unanswered ? words.unknown : words.kept}
      </p>
    </Alert>
  );
}
