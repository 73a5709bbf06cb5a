import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { SharedSession } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useLocation, useNavigate } from "@/ui/router";
import { EnterShared } from "./EnterShared";
import { forgetLink, keepFollowed, linkToFollow } from "./link";
import { linkMessages as messages } from "./link.messages";
import { followLink, needsSignIn } from "./queries";
import { SignInToSee } from "./SeeStates";

/**
 * /shared: follows the link whose secret was in the address, which keepLink.ts has taken out of it. It leads to the page of the
 * session, and shows what it is before somebody enters it.
 */
export function SharedLinkPage() {
  const { hash } = useLocation();
  // Somebody put another link into the address of this page, which is taken out of it when the page begins.
  useEffect(() => {
    if (hash !== "") location.reload();
  }, [hash]);
  return <Following />;
}

function Following() {
  const { state } = useAuth();
  const navigate = useNavigate();
  const signedIn = state === "authenticated";
  const [link] = useState(() => linkToFollow());
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: followLink,
    onSuccess: (shared) => {
      // Whoever has an account finds the session without the link from now on.
      if (signedIn) forgetLink();
      else keepFollowed(shared.id);
      if (!signedIn || shared.can !== "edit") navigate(seePath(shared), { replace: true });
    },
    onError: (refusal) => {
      if (isNotFound(refusal)) forgetLink();
    },
  });

  // Again once somebody has signed in.
  useEffect(() => {
    if (link !== undefined && (state === "authenticated" || state === "anonymous")) mutate(link);
  }, [link, state, mutate]);

  const wayOn = (
    <LinkButton to={signedIn ? "/sessions" : "/resources"}>
      {signedIn ? messages.toSessions : messages.toCatalog}
    </LinkButton>
  );
  if (link === undefined) {
    return (
      <Page width="narrow">
        <Empty title={messages.none} action={wayOn}>
          <p>{messages.noneWhy}</p>
          {signedIn && <p>{messages.noneFollowed}</p>}
        </Empty>
      </Page>
    );
  }
  if (data && signedIn && data.can === "edit") return <EnterShared shared={data} />;
  if (needsSignIn(error) && !signedIn) return <SignInToSee title={messages.signIn} />;
  return (
    <Page width="narrow">
      {error ? (
        <ErrorState
          title={isNotFound(error) ? messages.leadsNowhere : messages.failed}
          message={messageOf(error)}
          {...(!isNotFound(error) && { onRetry: () => mutate(link), retrying: isPending })}
        >
          {wayOn}
        </ErrorState>
      ) : (
        <Loading label={messages.following} />
      )}
    </Page>
  );
}

const seePath = ({ id }: SharedSession): string => `/sessions/${encodeURIComponent(id)}/see`;
