import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { toast } from "@/ui/toast";
import { deleteSession, deleteSessions, isRefusal, sessionsKey, sessionsQuery } from "./queries";
import { SessionCard } from "./SessionCard";
import styles from "./Sessions.module.css";
import { countsTowardsLimit, type Status, statuses, statusTones } from "./statuses";

/** The user's sessions, kept up to date, with a filter by state. `limit` is how many may be created or running. */
export function Sessions({ limit }: { limit: number }) {
  const queries = useQueryClient();
  const { state } = useAuth();
  const { data, error, isError, errorUpdateCount, refetch } = useQuery({
    ...sessionsQuery,
    enabled: state === "authenticated",
  });
  const [filter, setFilter] = useState<Status>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [confirming, setConfirming] = useState(false);

  // A deleted card vanishes at once, whatever the polls say meanwhile, and comes back when the deletion fails.
  const remove = useMutation({
    mutationFn: (ids: string[]) =>
      ids.length === 1 && ids[0] !== undefined ? deleteSession(ids[0]) : deleteSessions(ids),
    onMutate: (ids) => setHidden((all) => new Set([...all, ...ids])),
    onSuccess: (_, ids) => toast.success(ids.length === 1 ? "Session deleted" : "Sessions deleted"),
    onError: (error, ids) => {
      setHidden((all) => new Set([...all].filter((id) => !ids.includes(id))));
      if (ids.length === 1) toast.error("Error deleting session", messageOf(error));
      else toast.error("Error", `Failed to delete all sessions. ${messageOf(error)}`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });

  if (!data) {
    return errorUpdateCount > 0 ? (
      <ErrorState
        title="Your sessions cannot be loaded."
        message={isRefusal(error) ? error.message : "They are asked for again by itself."}
        onRetry={() => void refetch()}
      />
    ) : (
      <Loading label="Loading sessions" />
    );
  }

  const present = data.filter(({ id }) => !hidden.has(id));
  const shown = present.filter(({ status }) => filter === undefined || status === filter);
  return (
    <>
      <div className={styles.bar}>
        <fieldset className={styles.filter} aria-label="Show sessions in state">
          <Chip pressed={filter === undefined} onToggle={() => setFilter(undefined)}>
            All
          </Chip>
          {statuses.map((status) => (
            <Chip
              key={status}
              tone={statusTones[status]}
              pressed={filter === status}
              onToggle={() => setFilter(status)}
            >
              {status}
            </Chip>
          ))}
        </fieldset>
        <p className={styles.quota}>
          {present.filter(countsTowardsLimit).length} of {limit} in use
        </p>
        {present.length > 0 && (
          <Button size="small" onClick={() => setConfirming(true)}>
            Delete All
          </Button>
        )}
      </div>
      <p className={styles.notice} role="status">
        {isError && "The list could not be brought up to date. It is asked for again by itself."}
      </p>
      {shown.length === 0 ? (
        <Empty title="No sessions found." />
      ) : (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" className={styles.grid}>
          {shown.map((session) => (
            <li key={session.id}>
              <SessionCard session={session} onDelete={() => remove.mutate([session.id])} />
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
            remove.mutate(present.map(({ id }) => id));
          }}
          onClose={() => setConfirming(false)}
        >
          All {present.length} sessions, whatever the filter shows, are stopped, and the files in their work folders are
          gone for good.
        </ConfirmByName>
      )}
    </>
  );
}
