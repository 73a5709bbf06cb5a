import type { ReactNode } from "react";
import type { Session } from "@/api/types";
import { day } from "@/lib/format";
import { Button } from "@/ui/Button";
import { ProgressLine } from "@/ui/ProgressLine";
import { ahead } from "./moments";
import styles from "./SessionLife.module.css";

/** What was asked for here and is not true yet. */
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
  const { status, statusReason, queuePosition, step, warning, stopsAt, keptUntil } = session;
  if (pending === "stopping") return <Moving>It is being stopped. Its work is kept.</Moving>;
  if (pending === "starting") return <Moving>It starts in its own tab.</Moving>;
  if (status === "CREATED" && queuePosition) {
    return (
      <Moving>
        Number {queuePosition} in the queue. It starts by itself when there is room.
        <Button size="small" className={styles.cancel} onClick={onCancel}>
          Cancel
        </Button>
      </Moving>
    );
  }
  if (status === "CREATED") return <Moving>{step ?? "Starting"}. Open shows all steps.</Moving>;
  return (
    <>
      {status === "RUNNING" && warning && <p className={styles.grave}>{warning}</p>}
      {status === "RUNNING" && stopsAt && (
        <p>
          Stops <time dateTime={stopsAt}>{ahead(stopsAt, now)}</time> unless it is used.
        </p>
      )}
      {status === "ERROR" && (
        <p className={styles.grave}>{statusReason || "It broke for a reason that is not known."}</p>
      )}
      {status === "FINISHED" && statusReason && <p>{statusReason}</p>}
      {keptUntil && (
        <p>
          Its work is kept until <time dateTime={keptUntil}>{day(keptUntil)}</time>. Later the operators may remove it.
        </p>
      )}
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
