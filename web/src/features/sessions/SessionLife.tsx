import type { ReactNode } from "react";
import type { Session } from "@/api/types";
import { day } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { ProgressLine } from "@/ui/ProgressLine";
import { JobLine } from "./JobLine";
import { ahead } from "./moments";
import { sessionLifeMessages as messages } from "./SessionLife.messages";
import styles from "./SessionLife.module.css";
import { SessionLog } from "./SessionLog";
import { TimeLeft } from "./TimeLeft";
import { SavedLine } from "./versions/SavedLine";

/** What was requested here and hasn't happened yet. */
export type Pending = "stopping" | "starting" | undefined;

interface SessionLifeProps {
  session: Session;
  pending: Pending;
  /** Milliseconds since 1970. */
  now: number;
  /** Takes it out of the queue. */
  onCancel: () => void;
}

/** What happens to a session now, what will happen next, and why it came so. */
export function SessionLife({ session, pending, now, onCancel }: SessionLifeProps) {
  const { status, statusReason, cause, help, queuePosition, step, warning, stopsAt, lastActivityAt, keptUntil } =
    session;
  if (pending === "stopping") return <Moving>{messages.stopping}</Moving>;
  if (pending === "starting") return <Moving>{messages.startsInTab}</Moving>;
  if (status === "CREATED" && queuePosition) {
    return (
      <Moving>
        {warning ? messages.waits(queuePosition, warning) : messages.queued(queuePosition)}
        <Button size="small" className={styles.cancel} onClick={onCancel}>
          {messages.cancel}
        </Button>
      </Moving>
    );
  }
  if (status === "CREATED") return <Moving>{messages.underWay(step ?? messages.starting)}</Moving>;
  return (
    <>
      {status !== "DELETED" && <JobLine sessionId={session.id} />}
      {status === "RUNNING" && warning && <p className={styles.grave}>{warning}</p>}
      {status === "RUNNING" && stopsAt && (
        <>
          <TimeLeft from={lastActivityAt ?? session.createdAt} until={stopsAt} now={now} />
          <p>
            <time dateTime={stopsAt}>{messages.stops(ahead(stopsAt, now))}</time>
          </p>
        </>
      )}
      {status === "ERROR" && (
        <>
          <p className={styles.grave}>{cause?.sentence || statusReason || messages.unknownReason}</p>
          {cause && (
            <p>
              {cause.fix} <span className={styles.who}>{messages.who[cause.who]}</span>
            </p>
          )}
          {help?.address && (
            <LinkButton size="small" to={help.address} newTab>
              {help.label}
            </LinkButton>
          )}
          {help?.message && (
            <CopyButton size="small" text={help.message} label={help.label}>
              {help.label}
            </CopyButton>
          )}
          <SessionLog id={session.id} sessionName={session.sessionName} />
        </>
      )}
      {(status === "FINISHED" || status === "TERMINATED") && statusReason && <p>{statusReason}</p>}
      {(status === "FINISHED" || status === "ERROR") && <p>{messages.again}</p>}
      {keptUntil && (
        <p>
          <time dateTime={keptUntil}>{messages.kept(day(keptUntil))}</time>
        </p>
      )}
      {session.savingStopped && <p className={styles.grave}>{session.savingStopped}</p>}
      <SavedLine session={session} now={now} />
    </>
  );
}

function Moving({ children }: { children: ReactNode }) {
  return (
    <>
      <ProgressLine />
      <div className={styles.moving}>{children}</div>
    </>
  );
}
