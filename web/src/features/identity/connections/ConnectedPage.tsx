import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useConfig } from "@/api/config";
import { connectionsKey } from "@/api/connections";
import { messageOf } from "@/api/problem";
import { LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { takeHost } from "./begunHost";
import { connectedMessages as words } from "./ConnectedPage.messages";
import { finishConnection } from "./connectionCalls";

const connections = "/account/connections";

/**
 * /account/connected: where a code host returns the user. It exchanges the code and replaces itself by the page on which the
 * connection is reviewed.
 */
export function ConnectedPage() {
  const { product } = useConfig();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [failure, setFailure] = useState<string>();
  // A code is good once, and effects may run twice.
  const handled = useRef(false);

  useEffect(() => {
    if (handled.current) return;
    handled.current = true;
    const answer = new URLSearchParams(location.search);
    // They must not stay in the history, or in a picture of the screen.
    window.history.replaceState(window.history.state, "", location.pathname);
    const host = takeHost(sessionStorage);
    const [code, state, error] = ["code", "state", "error"].map((name) => answer.get(name));
    if (error) {
      setFailure(error === "access_denied" ? words.refused(product) : words.hostFailed);
    } else if (!code || !state) {
      // Somebody opened the address directly, or reloaded it.
      navigate(connections, { replace: true });
    } else if (host === undefined) {
      setFailure(words.unknown);
    } else {
      finishConnection(host, code, state).then(
        () => {
          void queries.invalidateQueries({ queryKey: connectionsKey });
          navigate(connections, { replace: true });
        },
        (cause) => setFailure(messageOf(cause)),
      );
    }
  }, [product, navigate, queries]);

  return (
    <Page width="narrow">
      {failure === undefined ? (
        <Loading label={words.finishing} />
      ) : (
        <ErrorState title={words.title} message={failure}>
          <LinkButton to={connections}>{words.back}</LinkButton>
        </ErrorState>
      )}
    </Page>
  );
}
