import { type ReactNode, useState } from "react";
import { loginPath } from "@/lib/links";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { Navigate, useLocation } from "@/ui/router";
import { requireAuthMessages as words } from "./RequireAuth.messages";
import { useAuth } from "./useAuth";

/**
 * Shows its children to signed-in users; others are sent to /login and come back. Once shown, the children stay while a
 * sign-in is renewed or has expired, so that no input is lost; only a sign-out, here or in another tab, removes them.
 */
export function RequireAuth({ children }: { children: ReactNode }) {
  const { state, error, login } = useAuth();
  const { pathname, search, hash } = useLocation();
  const [shown, setShown] = useState(false);
  if (state === "authenticated" && !shown) {
    setShown(true);
  }

  if (state === "anonymous") {
    return <Navigate to={loginPath({ pathname, search, hash })} replace />;
  }
  if (state === "authenticated" || (shown && error?.kind !== "signout")) {
    return children;
  }
  if (state === "error") {
    return (
      <Page title={words.page} width="narrow">
        <ErrorState title={words.title} message={error?.message}>
          <Button variant="primary" onClick={() => void login()}>
            {words.signIn}
          </Button>
          <LinkButton to="/resources">{words.catalog}</LinkButton>
        </ErrorState>
      </Page>
    );
  }
  return null;
}
