import { useEffect, useId, useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import type { OperatorSession } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/form/Field";
import { operatorSessionsMessages as words } from "./OperatorSessionsPage.messages";
import styles from "./OperatorSessionsPage.module.css";
import { useStopSession } from "./operatorQueries";

/** Asks an operator for the reason to stop a session. */
export function StopSessionDialog({ session, onClose }: { session: OperatorSession; onClose: () => void }) {
  const form = useId();
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useStopSession();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (error) field.current?.focus();
  }, [error]);
  const given = reason.trim();
  return (
    <Dialog
      title={words.title(session.owner)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" form={form} variant="danger" disabled={given === ""} busy={isPending}>
            {words.stop}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (given !== "" && !isPending) mutate({ id: session.id, reason: given }, { onSuccess: onClose });
        }}
      >
        <p>{words.kept}</p>
        <Field
          ref={field}
          label={words.reason}
          help={words.reasonHelp}
          error={error ? messageOf(error) : undefined}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          maxLength={1000}
        />
      </form>
    </Dialog>
  );
}
