import { useEffect, useState } from "react";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { arrive } from "./arrive";
import { callbackMessages as words } from "./CallbackPage.messages";
import { leftSignIn } from "./returnAddress";
import { useAuth } from "./useAuth";

/**
 * /oauth_callback: where the identity provider returns the user. It completes the sign-in and replaces itself by the page
 * to return to, so that code and state are neither in the address nor in the history. In the hidden frame of a silent
 * renewal and in the separate sign-in window, it only passes the answer to the page that opened them.
 */
export function CallbackPage() {
  const { complete, answerParent, answerOpener, login } = useAuth();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<{ message: string; returnTo: string }>();
  const [answered, setAnswered] = useState(false);
  // Kept in state, because they are removed from the address.
  const [address] = useState(location.href);

  // The functions change with the sign-in's state, but the provider's answer must be completed only once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const answer = new URL(address).searchParams;
    if (window.parent !== window) {
      void answerParent();
    } else if (!answer.has("state")) {
      // Somebody opened the address directly, or reloaded after a failure.
      navigate("/", { replace: true });
    } else {
      const { returnTo: wanted, beside } = leftSignIn(localStorage, address);
      if (beside) {
        // If the browser doesn't let it close itself, the text stays.
        void answerOpener().finally(() => setAnswered(true));
        return;
      }
      complete(address).then(
        (returnTo) => arrive(returnTo, navigate, (address) => location.replace(address)),
        (cause) => {
          console.error("The sign-in could not be completed", cause);
          window.history.replaceState(window.history.state, "", location.pathname);
          setFailure({
            returnTo: wanted,
            message: answer.get("error") === "access_denied" ? words.refused : words.failed,
          });
        },
      );
    }
  }, [address]);

  if (!failure) {
    return (
      <Page width="narrow">
        <Loading label={answered ? words.answered : words.signingIn} />
      </Page>
    );
  }
  return (
    <Page width="narrow">
      <ErrorState title={words.title} message={failure.message}>
        <Button variant="primary" onClick={() => void login(failure.returnTo)}>
          {words.retry}
        </Button>
        <LinkButton to="/resources">{words.catalog}</LinkButton>
      </ErrorState>
    </Page>
  );
}
