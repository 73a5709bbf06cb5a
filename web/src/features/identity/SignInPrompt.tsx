import { useEffect, useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { useLocation } from "@/ui/router";
import { toast } from "@/ui/toast";
import { signInPromptMessages as words } from "./SignInPrompt.messages";
import { useAuth } from "./useAuth";

/**
 * Asks to sign in again when the provider no longer renews a sign-in. The page below keeps its state, including input in
 * dialogs, because the sign-in runs in a separate window. A sign-in in another tab counts too.
 */
export function SignInPrompt() {
  const { error } = useAuth();
  const { pathname } = useLocation();
  const [later, setLater] = useState(false);
  const ended = error?.kind === "ended" && pathname !== "/login";
  const message = error?.message;
  if (!ended && later) {
    setLater(false);
  }

  useEffect(() => {
    if (!ended || !later) return;
    const id = toast.loading(words.title, message, { label: words.signIn, onSelect: () => setLater(false) });
    return () => toast.dismiss(id);
  }, [ended, later, message]);

  return ended && !later ? <Prompt onLater={() => setLater(true)} /> : null;
}

function Prompt({ onLater }: { onLater: () => void }) {
  const { error, login, loginBeside } = useAuth();
  const [failed, setFailed] = useState(false);
  const signIn = () => {
    setFailed(false);
    loginBeside().catch((cause) => {
      console.error("The sign-in beside the page failed", cause);
      setFailed(true);
    });
  };
  return (
    <Dialog
      title={words.title}
      onClose={onLater}
      footer={
        <>
          <Button onClick={onLater}>{words.later}</Button>
          {failed && <Button onClick={() => void login()}>{words.leave}</Button>}
          <Button variant="primary" onClick={signIn}>
            {words.signIn}
          </Button>
        </>
      }
    >
      <p>
        {error?.message} {words.beside}
      </p>
      {failed && <p role="alert">{words.failed}</p>}
    </Dialog>
  );
}
