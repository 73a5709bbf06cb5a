import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { CardSkeletons } from "@/ui/CardSkeletons";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { sessionsMessages as messages } from "./messages";
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
  const trouble = isRefusal(error) ? error.message : messages.asksAgain;

  const present = data?.filter(({ id }) => !hidden.has(id)) ?? [];
  const shown = present.filter(({ status }) => filter === undefined || status === filter);
  return (
    <>
      <div className={styles.bar}>
        <SessionFilter shown={filter} onShow={setFilter} />
        {data && <p className={styles.quota}>{messages.quota(present.filter(countsTowardsLimit).length, limit)}</p>}
        {present.length > 0 && (
          <Button size="small" onClick={() => setConfirming(true)}>
            {messages.deleteAll}
          </Button>
        )}
      </div>
      <p className={styles.notice} role="status">
        {data && error && messages.outOfDate(trouble)}
      </p>
      {!data && errorUpdateCount > 0 && (
        <ErrorState title={messages.cannotLoad} message={trouble} onRetry={() => void refetch()} />
      )}
      {!data && errorUpdateCount === 0 && <CardSkeletons label={messages.loading} className={styles.grid} />}
      {data && shown.length === 0 && (
        <Empty
          title={messages.none}
          action={filter && <Button onClick={() => setFilter(undefined)}>{messages.showAll}</Button>}
        >
          {!filter && <p>{messages.howToStart}</p>}
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
          title={messages.deleteAllTitle}
          name={messages.deleteAllName}
          confirmLabel={messages.deleteAll}
          onConfirm={() => {
            setConfirming(false);
            deleteAll(present.map(({ id }) => id));
          }}
          onClose={() => setConfirming(false)}
        >
          {messages.deleteAllMeans(present.length)}
        </ConfirmByName>
      )}
    </>
  );
}
