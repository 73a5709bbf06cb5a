import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { toast } from "@/ui/toast";
import { useAuth } from "./useAuth";

const title = "You are signed out";

/**
 * Asks to sign in again when the provider no longer renews a sign-in. The page below stays as it is, with all that was
 * typed there, also in its dialogs: the sign-in runs in a window of its own, and one in another tab counts as well.
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
    const id = toast.loading(title, message, { label: "Sign in", onSelect: () => setLater(false) });
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
      title={title}
      onClose={onLater}
      footer={
        <>
          <Button onClick={onLater}>Not now</Button>
          {failed && <Button onClick={() => void login()}>Leave this page to sign in</Button>}
          <Button variant="primary" onClick={signIn}>
            Sign in
          </Button>
        </>
      }
    >
      <p>{error?.message} A window opens for that, and this page stays as it is.</p>
      {failed && (
        <p role="alert">
          That did not work: the browser blocked the window, the sign-in was refused, or its service cannot be reached.
          You can also sign in in another tab; this page notices.
        </p>
      )}
    </Dialog>
  );
}
