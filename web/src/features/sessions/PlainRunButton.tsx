import { type ReactNode, useContext, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { RunContext, type RunTarget } from "@/ui/run";
import { runButtonMessages as messages } from "./RunButton.messages";
import styles from "./RunButton.module.css";

interface PlainRunButtonProps {
  target: RunTarget;
  /** Why it does nothing. */
  reason?: string | undefined;
  busy?: boolean;
  label?: string;
  /** Another button. */
  beside?: ReactNode;
}

/** The button, with the reason below it if it does nothing. */
export function PlainRunButton({ target, reason, busy = false, label = messages.run, beside }: PlainRunButtonProps) {
  const run = useContext(RunContext);
  const [starting, setStarting] = useState(false);
  return (
    <div className={styles.run}>
      <div className={styles.row}>
        <Button
          variant="primary"
          busy={busy || starting}
          unavailable={reason}
          onClick={() => {
            setStarting(true);
            void run(target).finally(() => setStarting(false));
          }}
        >
          <Icon name="play" />
          {reason === undefined ? label : messages.run}
        </Button>
        {beside}
      </div>
      {/* The button says it too, to those who hear it. */}
      {reason !== undefined && (
        <p className={styles.why} aria-hidden="true">
          {reason}
        </p>
      )}
    </div>
  );
}
