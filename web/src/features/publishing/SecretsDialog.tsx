import type { ProblemField } from "@/api/problem";
import { secretsMessages } from "@/features/uploads/secrets.messages";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { secretsDialogMessages as messages } from "./SecretsDialog.messages";
import type { SecretWarning } from "./shapes";

/** What to do with files that look as if they had a secret in them. */
export type SecretsChoice = "leave" | "all" | "cancel";

/** How many files are named. */
const named = 20;

const isKind = (text: string): text is SecretWarning["kind"] => Object.hasOwn(secretsMessages.kinds, text);

interface SecretsDialogProps {
  /** The files by their paths, with what they look like. */
  files: readonly ProblemField[];
  onChoose: (choice: SecretsChoice) => void;
}

/** Asks about files that the server doesn't publish unasked. */
export function SecretsDialog({ files, onChoose }: SecretsDialogProps) {
  return (
    <Dialog
      title={messages.title}
      onClose={() => onChoose("cancel")}
      footer={
        <>
          <Button onClick={() => onChoose("cancel")}>{messages.cancel}</Button>
          <Button onClick={() => onChoose("all")}>{messages.all}</Button>
          <Button variant="primary" onClick={() => onChoose("leave")}>
            {messages.leave}
          </Button>
        </>
      }
    >
      <ul className="up-warned">
        {files.slice(0, named).map(({ location, message: kind }) => (
          <li key={`${location} ${kind}`}>
            <bdi className="pb-secret">{location}</bdi> {isKind(kind) && secretsMessages.kinds[kind]}
          </li>
        ))}
        {files.length > named && <li>{messages.more(files.length - named)}</li>}
      </ul>
      <p>{messages.means}</p>
    </Dialog>
  );
}
