import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import { moment } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { follow } from "./openInNewTab";
import { sessionsQuery } from "./queries";
import { sessionsOfProjectMessages as messages } from "./SessionsOfProject.messages";
import styles from "./SessionsOfProject.module.css";
import { countsTowardsLimit, statusTones } from "./statuses";

/** How many of the newest are listed. */
const shown = 10;

/** The visitor's own sessions of a project, newest first. Renders nothing for those who aren't signed in. */
export function SessionsOfProject({ projectId }: { projectId: string }) {
  const { state } = useAuth();
  const { data, error, isFetching, refetch } = useQuery({ ...sessionsQuery, enabled: state === "authenticated" });
  const queries = useQueryClient();
  const heading = useId();
  if (state !== "authenticated") return null;
  const own = data?.filter(({ project }) => project.id === projectId) ?? [];
  const others = own.length - shown;
  return (
    <section className={styles.section} aria-labelledby={heading}>
      <h2 id={heading}>{messages.title}</h2>
      {!data && error && (
        <ErrorState
          title={messages.cannotLoad}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="4em" />
        </SkeletonPlace>
      )}
      {data && own.length === 0 && <p className={styles.quiet}>{messages.none}</p>}
      {own.length > 0 && (
        <>
          <ul className={styles.list}>
            {own.slice(0, shown).map((session) => (
              <li key={session.id}>
                <Badge tone={statusTones[session.status]}>{session.status}</Badge>
                <bdi className={styles.name}>{session.sessionName}</bdi>
                <time className={styles.quiet} dateTime={session.createdAt}>
                  {moment(session.createdAt)}
                </time>
                {countsTowardsLimit(session) && (
                  <LinkButton
                    size="small"
                    to={`/sessions/${encodeURIComponent(session.id)}/open`}
                    newTab
                    aria-label={messages.openOne(session.sessionName)}
                    onClick={() => void follow(session.id, "open", queries)}
                  >
                    {messages.open}
                  </LinkButton>
                )}
              </li>
            ))}
          </ul>
          <p>
            <Link to="/sessions">{others > 0 ? messages.more(others) : messages.all}</Link>
          </p>
        </>
      )}
    </section>
  );
}
