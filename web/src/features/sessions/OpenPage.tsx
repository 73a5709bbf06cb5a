import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { Interface } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { runPath } from "@/lib/sharing/runAddress";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { ProgressLine } from "@/ui/ProgressLine";
import { useLocation, useParams } from "@/ui/router";
import styles from "./OpenPage.module.css";
import { openMessages as messages } from "./open.messages";
import { type OpenOutcome, type OpenRequest, outcomeChannel, type RunWish, takeRequest } from "./openRequest";
import { outcomeTitles } from "./outcomeTitles.messages";
import { resumeSession, runSession, setStatus, startSession } from "./queries";
import { checkedTarget, leadingOn } from "./redirectTarget";
import { startFailure } from "./startFailure";

interface OpenSession {
  do: "open";
  sessionId: string;
  next: string | null;
  inside?: Interface | undefined;
}

type Task = { key: string; request: OpenRequest | OpenSession };

/**
 * The tab that becomes a session. At /open it takes over the request that the clicked page left (openRequest.ts); at
 * /sessions/:id/open, which can be bookmarked, it opens that session, at ?next=PATH or in ?interface=vscode if that is there, and
 * starts it if it does not run. It shows how that goes and then replaces itself by the session's address. Both routes are for those who are signed in.
 */
export function OpenPage() {
  const { id } = useParams();
  const { hash, search } = useLocation();
  const [task] = useState((): Task | null =>
    id === undefined
      ? takeRequest(localStorage, sessionStorage, hash, Date.now())
      : { key: id, request: openOf(id, new URLSearchParams(search)) },
  );
  return task ? <Opening task={task} /> : <NothingToOpen />;
}

function openOf(sessionId: string, query: URLSearchParams): OpenSession {
  const inside = query.get("interface") === "vscode" ? "vscode" : undefined;
  return { do: "open", sessionId, next: query.get("next"), inside };
}

function Opening({ task: { key, request } }: { task: Task }) {
  const starting = request.do === "start" || request.do === "run";
  const { state } = useAuth();
  const { sessions, accounts } = useConfig();

  const opening = useMutation({
    mutationFn: async () => {
      try {
        const address = checkedTarget(await addressFor(request, key), sessions.url);
        const target = leadingOn(address, request.do === "open" ? request.next : null);
        tell({ key });
        return target;
      } catch (error) {
        console.error("The session cannot be opened", error);
        const failure = starting ? startFailure(error, accounts.contact) : messageOf(error);
        tell({ key, failure });
        throw new Error(failure);
      }
    },
  });
  const { mutate, isIdle } = opening;

  // Once, with the sign-in. This starts something, so it must not run again because somebody else signed in.
  useEffect(() => {
    if (state === "authenticated" && isIdle) mutate();
  }, [state, isIdle, mutate]);

  useEffect(() => {
    if (opening.data === undefined) return;
    // The session's origin runs its user's code, which must not control the page that opened this tab.
    window.opener = null;
    window.location.replace(opening.data);
  }, [opening.data]);

  return (
    <Page title={starting ? messages.starting : messages.opening} width="narrow">
      {opening.error ? (
        <ErrorState
          title={outcomeTitles[starting ? "start" : "restart"].failed}
          message={opening.error.message}
          onRetry={() => mutate()}
        >
          {request.do === "run" && <RunLink wish={request.wish} />}
          <LinkButton to="/sessions">{messages.toSessions}</LinkButton>
        </ErrorState>
      ) : (
        <div className={styles.going} role="status">
          <p>
            {request.do === "start"
              ? request.sessionName
              : request.do === "run"
                ? request.title
                : messages.becomesSession}
          </p>
          <ProgressLine />
        </div>
      )}
    </Page>
  );
}

/** Leads to the page that says what would run, and what is in its way. */
function RunLink({ wish }: { wish: RunWish }) {
  const id = wish.resourceId ?? wish.projectId;
  return id && <LinkButton to={runPath(id, wish)}>{messages.toRun}</LinkButton>;
}

function NothingToOpen() {
  return (
    <Page width="narrow">
      <Empty title={messages.nothing} action={<LinkButton to="/sessions">{messages.toSessions}</LinkButton>}>
        <p>{messages.servesOnce}</p>
      </Empty>
    </Page>
  );
}

async function addressFor(request: Task["request"], key: string): Promise<string> {
  if (request.do === "start") {
    return startSession(request, key);
  }
  if (request.do === "run") {
    return runSession(request.wish, key);
  }
  if (request.do === "restart") {
    await setStatus(request.sessionId, "CREATED");
  }
  return resumeSession(request.sessionId, request.do === "open" ? request.inside : undefined);
}

function tell(outcome: OpenOutcome) {
  const channel = new BroadcastChannel(outcomeChannel);
  channel.postMessage(outcome);
  channel.close();
}
