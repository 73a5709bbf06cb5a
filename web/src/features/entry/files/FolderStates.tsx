import { isNotFound, messageOf } from "@/api/problem";
import { moment } from "@/lib/format";
import { timeIn } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { folderStatesMessages as messages } from "./FolderStates.messages";
import styles from "./FolderStates.module.css";
import type { FolderLink } from "./useFolder";

interface FolderTroubleProps {
  error: unknown;
  /** The seconds until the page retries automatically. */
  again: number | undefined;
  retrying: boolean;
  onRetry: () => void;
  /** Leaves a missing folder. */
  root?: FolderLink;
}

/** Why no files are shown, and what happens next. */
export function FolderTrouble({ error, again, retrying, onRetry, root }: FolderTroubleProps) {
  if (isNotFound(error)) {
    return (
      <div className={styles.absent} role="status">
        <p>{messageOf(error)}</p>
        {root && (
          <Link to={root.to} state={root.state}>
            {messages.toRoot}
          </Link>
        )}
      </div>
    );
  }
  if (again !== undefined) {
    return (
      <div className={styles.limited} role="status">
        <Icon name="info" size={20} />
        <p>{messages.again(messageOf(error), timeIn(again))}</p>
        <Button size="small" busy={retrying} onClick={onRetry}>
          {messages.retryNow}
        </Button>
      </div>
    );
  }
  return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={onRetry} retrying={retrying} />;
}

/** Says how old the shown files are while the host can't be reached. */
export function OldFiles({ asOf, host = messages.someHost }: { asOf: string; host?: string | undefined }) {
  return (
    <p className={styles.old} role="status">
      <Icon name="info" size={16} />
      <span>
        <Filled text={messages.old} values={{ host, asOf: <time dateTime={asOf}>{moment(asOf)}</time> }} />
      </span>
    </p>
  );
}

/** Placeholder rows. */
export function WaitingFiles() {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">{messages.loading}</span>
      {["40%", "30%", "55%", "35%", "45%", "25%"].map((width) => (
        <div key={width}>
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}
