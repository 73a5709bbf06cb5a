import { lazy, Suspense, useState } from "react";
import { useAuth } from "@/features/identity/useAuth";
import type { RunTarget } from "@/ui/run";
import { PlainRunButton } from "./PlainRunButton";
import { runButtonMessages as messages } from "./RunButton.messages";
import styles from "./RunButton.module.css";

// Visitors don't need them.
const RunOptions = lazy(async () => ({ default: (await import("./OwnRun")).RunOptions }));
const RunNotes = lazy(async () => ({ default: (await import("./OwnRun")).RunNotes }));

interface RunButtonProps {
  target: RunTarget;
  /** Why it can't run, whoever asks. */
  note?: string | undefined;
  /** It can, in a size that somebody chooses. */
  choosable?: boolean;
  /** Says to visitors that they sign in first. */
  namesSignIn?: boolean;
}

/**
 * Runs an entry or a project in a new tab. What the server would refuse is said before. The button stays the same while more
 * becomes known: one that took its place would lose a press that had begun.
 */
export function RunButton({ target, note, choosable = false, namesSignIn = false }: RunButtonProps) {
  const { state } = useAuth();
  const [block, setBlock] = useState<string>();
  const own = state === "authenticated" && (note === undefined || choosable);
  return (
    <div className={styles.run}>
      <PlainRunButton
        target={target}
        reason={(own ? block : undefined) ?? note}
        // A press before it is known who asks would lead people who are signed in to the sign-in.
        busy={state === "loading"}
        label={namesSignIn && state !== "authenticated" ? messages.signIn : messages.run}
        beside={
          own && (
            <Suspense>
              <RunOptions target={target} note={note} />
            </Suspense>
          )
        }
      />
      {own && (
        <Suspense>
          <RunNotes target={target} onBlock={setBlock} />
        </Suspense>
      )}
    </div>
  );
}
