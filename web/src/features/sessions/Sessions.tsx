import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { moment } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { Cards } from "@/ui/Cards";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Note } from "@/ui/Note";
import { useFocusAfterRemoval } from "@/ui/useFocusAfterRemoval";
import { undeleteEnd } from "./moments";
import { Quota } from "./Quota";
import { isRefusal } from "./queries";
import { SessionCard } from "./SessionCard";
import { SessionFilter } from "./SessionFilter";
import { SessionSkeletons } from "./SessionSkeletons";
import { sessionsMessages as messages } from "./Sessions.messages";
import styles from "./Sessions.module.css";
import { countsTowardsLimit, type Status } from "./statuses";
import { useChanges } from "./useChanges";
import { useDeleteSessions } from "./useDeleteSessions";
import { useNow } from "./useNow";
import { useUnmountSignal } from "./useUnmountSignal";
import { RecentlyDeleted } from "./versions/RecentlyDeleted";

interface SessionsProps {
  list: UseQueryResult<Session[]>;
  /** How many may be created or running. */
  limit: number;
  onShare: (session: Session) => void;
}

/** The user's sessions, kept up to date, with a filter by state. */
export function Sessions({ list, limit, onShare }: SessionsProps) {
  const { sessions } = useConfig();
  const { data, dataUpdatedAt, error, errorUpdateCount, isFetching, refetch } = list;
  const [filter, setFilter] = useState<Status>();
  const [confirming, setConfirming] = useState(false);
  const { hidden, deleteOne, deleteAll, show } = useDeleteSessions();
  const now = useNow();
  const left = useUnmountSignal();
  const news = useChanges(data);
  const trouble = isRefusal(error) ? error.message : messages.asksAgain(messageOf(error));

  const present = data?.filter(({ id }) => !hidden.has(id));
  const shown = present?.filter(({ status }) => filter === undefined || status === filter) ?? [];
  const { around, leaves } = useFocusAfterRemoval(shown.map(({ id }) => id));
  const lost = present?.filter(({ versions }) => !versions).map(({ sessionName }) => sessionName) ?? [];
  const retry = { retrying: isFetching, onRetry: () => void refetch() };
  return (
    <>
      <h2 className={styles.title}>{messages.list}</h2>
      <div className={styles.bar}>
        <SessionFilter sessions={present} shown={filter} onShow={setFilter} />
        <div className={styles.side}>
          {present && <Quota used={present.filter(countsTowardsLimit).length} limit={limit} />}
          {present && present.length > 0 && (
            <Button size="small" className={styles.deleteAll} onClick={() => setConfirming(true)}>
              {messages.deleteAll}
            </Button>
          )}
        </div>
      </div>
      <p className="visually-hidden" role="status">
        {news}
      </p>
      <div role="status">
        {data && error && (
          <Note kind="error">
            <div className={styles.notice}>
              <span>
                {messages.outOfDate(moment(new Date(dataUpdatedAt).toISOString()))} {trouble}
              </span>
              <Button size="small" busy={isFetching} onClick={retry.onRetry}>
                {messages.retry}
              </Button>
            </div>
          </Note>
        )}
      </div>
      {!data && errorUpdateCount > 0 && <ErrorState title={messages.cannotLoad} message={trouble} {...retry} />}
      {!data && errorUpdateCount === 0 && <SessionSkeletons />}
      <div ref={around} tabIndex={-1} className={styles.list}>
        {data && shown.length === 0 && (
          <Empty
            title={messages.none}
            action={
              filter ? (
                <Button onClick={() => setFilter(undefined)}>{messages.showAll}</Button>
              ) : (
                <LinkButton to="/resources">{messages.browse}</LinkButton>
              )
            }
          >
            {!filter && <p>{messages.howToStart}</p>}
          </Empty>
        )}
        {shown.length > 0 && (
          <Cards>
            {shown.map((session) => (
              <li key={session.id}>
                <SessionCard
                  session={session}
                  now={now}
                  left={left}
                  onShare={() => onShare(session)}
                  onDelete={() => {
                    leaves(session.id);
                    deleteOne(session.id);
                  }}
                />
              </li>
            ))}
          </Cards>
        )}
      </div>
      {data && <RecentlyDeleted onUndelete={(id) => show([id])} />}
      {confirming && present && (
        <ConfirmByName
          title={messages.deleteAllTitle}
          name={messages.deleteAllName}
          confirmLabel={messages.deleteAll}
          onConfirm={() => {
            setConfirming(false);
            leaves(shown[0]?.id);
            deleteAll(present.map(({ id }) => id));
          }}
          onClose={() => setConfirming(false)}
        >
          {messages.deleteAllMeans(present.length)}{" "}
          {present.some(({ versions }) => versions) && messages.deleteAllKeeps(undeleteEnd(sessions.undelete))}{" "}
          {lost.length > 0 && messages.deleteAllLoses(lost)}
        </ConfirmByName>
      )}
    </>
  );
}
