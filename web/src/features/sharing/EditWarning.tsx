import { Note } from "@/ui/Note";
import { shareMessages as messages } from "./share.messages";

/** What it means to let others work in one's session. */
export function EditWarning() {
  return (
    <Note kind="error" role="status" title={messages.warningTitle}>
      {messages.warning.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Note>
  );
}
