import { lazy, Suspense } from "react";
import { useAuth } from "@/features/identity/useAuth";
import type { RunTarget } from "@/ui/run";
import { PlainRunButton } from "./PlainRunButton";
import { runButtonMessages as messages } from "./RunButton.messages";

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
