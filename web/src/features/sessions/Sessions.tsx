import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { CardSkeletons } from "@/ui/CardSkeletons";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { isRefusal, sessionsQuery } from "./queries";
import { SessionCard } from "./SessionCard";
import { SessionFilter } from "./SessionFilter";
import styles from "./Sessions.module.css";
import { countsTowardsLimit, type Status } from "./statuses";
import { useDeleteSessions } from "./useDeleteSessions";
import { useNow } from "./useNow";

/** The user's sessions, kept up to date, with a filter by state. `limit` is how many may be created or running. */
export function Sessions({ limit }: { limit: number }) {
  const { state } = useAuth();
  const { data, error, errorUpdateCount, refetch } = useQuery({ ...sessionsQuery, enabled: state === "authenticated" });
  const [filter, setFilter] = useState<Status>();
  const [confirming, setConfirming] = useState(false);
  const { hidden, deleteOne, deleteAll } = useDeleteSessions();
  const now = useNow();
  const trouble = isRefusal(error) ? error.message : "It is asked for again by itself.";

  const present = data?.filter(({ id }) => !hidden.has(id)) ?? [];
  const shown = present.filter(({ status }) => filter === undefined || status === filter);
  return (
    <>
      <div className={styles.bar}>
        <SessionFilter shown={filter} onShow={setFilter} />
        {data && (
          <p className={styles.quota}>
            {present.filter(countsTowardsLimit).length} of {limit} in use
          </p>
        )}
        {present.length > 0 && (
          <Button size="small" onClick={() => setConfirming(true)}>
            Delete All
          </Button>
        )}
      </div>
      <p className={styles.notice} role="status">
        {data && error && `The list could not be brought up to date. ${trouble}`}
      </p>
      {!data && errorUpdateCount > 0 && (
        <ErrorState title="Your sessions cannot be loaded." message={trouble} onRetry={() => void refetch()} />
      )}
      {!data && errorUpdateCount === 0 && <CardSkeletons label="Loading sessions" className={styles.grid} />}
      {data && shown.length === 0 && (
        <Empty
          title="No sessions found."
          action={filter && <Button onClick={() => setFilter(undefined)}>Show all states</Button>}
        >
          {!filter && <p>Start one from a project.</p>}
        </Empty>
      )}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" className={styles.grid}>
          {shown.map((session) => (
            <li key={session.id}>
              <SessionCard session={session} now={now} onDelete={() => deleteOne(session.id)} />
            </li>
          ))}
        </ul>
      )}
      {confirming && (
        <ConfirmByName
          title="Delete all sessions"
          name="delete all sessions"
          confirmLabel="Delete All"
          onConfirm={() => {
            setConfirming(false);
            deleteAll(present.map(({ id }) => id));
          }}
          onClose={() => setConfirming(false)}
        >
          {present.length === 1 ? "Your session is" : `All ${present.length} sessions, whatever the filter shows, are`}{" "}
          stopped, and the files in {present.length === 1 ? "its work folder" : "their work folders"} are gone for good.
        </ConfirmByName>
      )}
    </>
  );
}
