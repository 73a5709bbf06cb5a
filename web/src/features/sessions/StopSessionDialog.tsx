import { messageOf } from "@/api/problem";
import type { OperatorSession } from "@/api/types";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { operatorSessionsMessages as words } from "./OperatorSessionsPage.messages";
import { useStopSession } from "./operatorQueries";

/** Asks an operator for the reason to stop a session. */
export function StopSessionDialog({ session, onClose }: { session: OperatorSession; onClose: () => void }) {
  const { mutate, isPending, error } = useStopSession();
  return (
    <FieldDialog
      title={words.title(session.owner)}
      intro={<p>{words.kept}</p>}
      label={words.reason}
      help={words.reasonHelp}
      error={error ? messageOf(error) : undefined}
      maxLength={1000}
      submit={words.stop}
      cancel={words.cancel}
      danger
      busy={isPending}
      onSubmit={(reason) => mutate({ id: session.id, reason }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
