import type { ReactNode } from "react";
import type { SessionView, SharedSession } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { useAuth } from "@/features/identity/useAuth";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { Badge } from "@/ui/Badge";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Note } from "@/ui/Note";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { useParams, useSearchParams } from "@/ui/router";
import type { Tone } from "@/ui/tone";
import { levelsAbove } from "./levels";
import { SeeActions } from "./SeeActions";
import { SeeFacts } from "./SeeFacts";
import { SeeFiles } from "./SeeFiles";
import { SeeNotebook } from "./SeeNotebook";
import { NotShared, SignInToSee } from "./SeeStates";
import { seeMessages as messages } from "./see.messages";
import { type Phase, type Seen, useSee } from "./useSee";

/** /sessions/:id/see: what a session shows, as it changes, to those with whom it's shared. */
export function SeePage() {
  const { id = "" } = useParams();
  if (!isId(id)) return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={false} />;
  return <Following key={id} id={id} />;
}

function Following({ id }: { id: string }) {
  const [params, setParams] = useSearchParams();
  const chosen = params.get("notebook") ?? "";
  const seen = useSee(id, chosen);
  const { phase, shared, view, problem, again } = seen;
  if (phase === "over" && problem?.status === 401) return <SignInToSee />;
  if (phase === "over" && problem?.status === 404)
    return <NotShared id={id} onGranted={again} {...(shared && { why: problem.message })} />;
  if (!shared || !view) {
    return (
      <Page>
        {problem ? (
          <ErrorState title={messages.failed} message={problem.message} onRetry={again} />
        ) : (
          <SkeletonPlace label={messages.loading} className={dashboard.parts}>
            <Skeleton height="3rem" />
            <Skeleton height="16rem" />
          </SkeletonPlace>
        )}
      </Page>
    );
  }
  return (
    <Shown
      seen={seen}
      shared={shared}
      view={view}
      chosen={chosen}
      onChoose={(path) => setParams(path === "" ? {} : { notebook: path }, { replace: true })}
    />
  );
}

interface ShownProps {
  seen: Seen & { again: () => void };
  shared: SharedSession;
  view: SessionView;
  chosen: string;
  onChoose: (path: string) => void;
}

function Shown({ seen: { phase, problem, again }, shared, view, chosen, onChoose }: ShownProps) {
  const { state } = useAuth();
  const enabled = useAccount().data?.enabled === true && state === "authenticated";
  // Until the view of the other notebook comes.
  const old = chosen !== "" && view.notebook !== null && view.notebook.path !== chosen;
  return (
    <Page
      title={view.sessionName}
      heading={<bdi>{view.sessionName}</bdi>}
      subtitle={shared.can === "owner" ? messages.ownSubtitle : messages.subtitle}
      above={
        <>
          {state === "authenticated" && <BackLink to="/sessions" />}
          <div role="status">
            <LiveBadge phase={phase} running={view.status === "RUNNING"} />
          </div>
        </>
      }
    >
      <div className={dashboard.parts}>
        {phase === "over" && <ErrorState title={messages.over} message={problem?.message} onRetry={again} />}
        <div className={projectStyles.section}>
          <Notes>
            {view.note !== "" && <p>{view.note}</p>}
            {problem && phase === "again" && <p>{messages.again(problem.message)}</p>}
            {phase === "paused" && <p>{messages.pausedMeans}</p>}
          </Notes>
          <SeeActions shared={shared} asks={enabled && phase !== "over" && levelsAbove(shared.can).length > 0} />
        </div>
        <div className={projectStyles.columns}>
          <aside className={projectStyles.facts} aria-label={messages.facts}>
            <SeeFacts shared={shared} present={view.present} />
            <SeeFiles view={view} />
          </aside>
          <div className={projectStyles.main}>
            <SeeNotebook view={view} chosen={chosen} old={old} onChoose={onChoose} />
          </div>
        </div>
      </div>
    </Page>
  );
}

/** Sentences, at a place where they are read out when they come. */
function Notes({ children }: { children: ReactNode[] }) {
  const said = children.some(Boolean);
  return <div role="status">{said && <Note kind="info">{children}</Note>}</div>;
}

const tones: Record<Phase, Tone> = { connecting: "grey", live: "green", again: "amber", paused: "grey", over: "grey" };

/** Whether what is shown is as it is now. */
function LiveBadge({ phase, running }: { phase: Phase; running: boolean }) {
  const idle = phase === "live" && !running;
  return <Badge tone={idle ? "grey" : tones[phase]}>{idle ? messages.notRunning : messages.phases[phase]}</Badge>;
}
