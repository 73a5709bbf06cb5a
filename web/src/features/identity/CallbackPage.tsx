import { useEffect, useState } from "react";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { callbackMessages as words } from "./CallbackPage.messages";
import { leftSignIn } from "./returnAddress";
import { useAuth } from "./useAuth";

/**
 * /oauth_callback: where the identity provider returns the user. It completes the sign-in and makes way for the deep
 * link, so that code and state are neither in the address nor in the history. In the hidden frame of a silent renewal,
 * and in the window of a sign-in beside a page, it only hands the answer to that page.
 */
export function CallbackPage() {
  const { complete, answerParent, answerOpener, login } = useAuth();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<{ message: string; returnTo: string }>();
  const [answered, setAnswered] = useState(false);
  // Kept in state: the address loses them as soon as they aren't needed anymore.
  const [address] = useState(location.href);

  // The functions change with the state of the sign-in; one answer of the provider is completed once.
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
        (returnTo) => navigate(returnTo, { replace: true }),
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
