import { lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { RunContext, type RunTarget } from "@/ui/run";
import { runButtonMessages as messages } from "./RunButton.messages";
import styles from "./RunButton.module.css";

// Visitors don't need it.
const OwnRunButton = lazy(async () => ({ default: (await import("./OwnRunButton")).OwnRunButton }));

interface RunButtonProps {
  target: RunTarget;
  /** Why it can't run, whoever asks. */
  note?: string | undefined;
  /** It can, in a size that somebody chooses. */
  choosable?: boolean;
  /** Says to visitors that they sign in first. */
  namesSignIn?: boolean;
}

/** Runs an entry or a project in a new tab. What the server would refuse is said before. */
export function RunButton({ target, note, choosable = false, namesSignIn = false }: RunButtonProps) {
  const { state } = useAuth();
  if ((note !== undefined && !choosable) || state !== "authenticated") {
    // A press before it is known who asks would lead people who are signed in to the sign-in.
    return (
      <PlainRunButton
        target={target}
        reason={note}
        busy={state === "loading"}
        label={namesSignIn ? messages.signIn : messages.run}
      />
    );
  }
  return (
    <Suspense fallback={<PlainRunButton target={target} reason={note} />}>
      <OwnRunButton target={target} note={note} />
    </Suspense>
  );
}

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
