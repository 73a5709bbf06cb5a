import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { OperatorSession, OperatorSessionPage } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { pageSize } from "@/lib/constants";
import { Ago } from "@/ui/Ago";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import rows from "@/ui/ListRow.module.css";
import { Skeleton } from "@/ui/Loading";
import { Chip } from "@/ui/list/Chip";
import { LineChoice } from "@/ui/list/LineChoice";
import { PagedList } from "@/ui/list/PagedList";
import { SearchBox } from "@/ui/list/SearchBox";
import { OperatorNav } from "@/ui/OperatorNav";
import operators from "@/ui/OperatorNav.module.css";
import { Page } from "@/ui/Page";
import { Link, useSearchParams } from "@/ui/router";
import { entryPath } from "./entryPath";
import { operatorSessionsMessages as words } from "./OperatorSessionsPage.messages";
import styles from "./OperatorSessionsPage.module.css";
import { type OperatorFilters, readOperatorFilters, shownSessions, writeOperatorFilters } from "./operatorFilters";
import { operatorSessionsQuery } from "./operatorQueries";
import { StopSessionDialog } from "./StopSessionDialog";
import { statusTones } from "./statuses";
import { usageParts } from "./usage";

/** /operator/sessions: where operators see whose sessions there are, and stop one. */
export function OperatorSessionsPage() {
  const account = useAccount();
  if (account.data?.operator) {
    return <OperatorSessions />;
  }
  if (account.isPending) {
    return (
      <Page above={<OperatorNav />} subtitle={words.subtitle}>
        <Loading />
      </Page>
    );
  }
  return (
    <Page width="narrow">
      {account.data && (
        <Empty title={words.operatorsOnly} action={<LinkButton to="/sessions">{words.sessions}</LinkButton>} />
      )}
      {!account.data && account.error && (
        <ErrorState
          title={words.unknownOperator}
          message={messageOf(account.error)}
          onRetry={() => void account.refetch()}
        />
      )}
    </Page>
  );
}

function OperatorSessions() {
  const [params, setParams] = useSearchParams();
  const filters = readOperatorFilters(params);
  const change = (part: Partial<OperatorFilters>) =>
    setParams(writeOperatorFilters({ ...filters, page: 1, ...part }), { replace: true });
  return (
    <Page above={<OperatorNav />} subtitle={words.subtitle}>
      <div className={styles.controls}>
        <SearchBox
          label={words.search}
          placeholder={words.searchHint}
          text={filters.search}
          onSearch={(search) => change({ search })}
        />
        <fieldset className={operators.filter} aria-label={words.show}>
          {shownSessions.map((show) => (
            <Chip
              key={show}
              tone={show === "ERROR" ? "red" : "blue"}
              pressed={filters.show === show}
              onToggle={() => change({ show, ...(show !== "live" && { sort: "newest" }) })}
            >
              {words.shows[show]}
            </Chip>
          ))}
          <LineChoice
            lead={words.sort}
            label={words.sortLabel}
            value={filters.sort}
            options={words.sorts}
            onChange={(sort) => change({ sort, ...(sort !== "newest" && { show: "live" }) })}
          />
        </fieldset>
      </div>
      <Sessions filters={filters} />
    </Page>
  );
}

/** A page of sessions, or a state: loading, failed, or no sessions. */
function Sessions({ filters }: { filters: OperatorFilters }) {
  const [, setParams] = useSearchParams();
  const { data, error, refetch, isPlaceholderData } = useQuery(operatorSessionsQuery(filters));
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <Loading />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    return (
      <>
        <WarmSessions sessions={data.warm} />
        <Empty title={filters.search.trim() === "" ? words.nothing[filters.show] : words.noMatch} />
      </>
    );
  }
  return (
    <>
      <WarmSessions sessions={data.warm} />
      <PagedList
        label={words.list}
        total={words.total(data.totalElements)}
        busy={isPlaceholderData}
        page={filters.page}
        pages={Math.ceil(data.totalElements / pageSize)}
        onPage={(page) => setParams(writeOperatorFilters({ ...filters, page }))}
      >
        {data.content.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </PagedList>
    </>
  );
}

/** The sessions that run before anybody asks for them: how many of each entry. */
function WarmSessions({ sessions }: { sessions: OperatorSessionPage["warm"] }) {
  const entries = new Map(sessions.map(({ entry, name }) => [entry, name]));
  return (
    entries.size > 0 && (
      <ul className={styles.warm} aria-label={words.warm}>
        {[...entries].map(([entry, name]) => {
          const own = sessions.filter((session) => session.entry === entry);
          const ready = own.filter(({ phase }) => phase === "ready").length;
          return <li key={entry}>{words.warmOf(name, own.length, ready)}</li>;
        })}
      </ul>
    )
  );
}

function SessionRow({ session }: { session: OperatorSession }) {
  const { owner, engineLabel, status, statusReason, requestedStatus, createdAt, lastActivityAt } = session;
  const [stopping, setStopping] = useState(false);
  const live = status === "CREATED" || status === "RUNNING";
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>{owner}</strong>
        <Entry session={session} />
        <div className={rows.line}>
          <Badge tone={statusTones[status]}>{requestedStatus ? words.stopping : status}</Badge>
          {session.isJob && <Badge tone="grey">{words.job}</Badge>}
          <span className={rows.note}>
            <Filled
              text={lastActivityAt === undefined ? words.started : words.startedAndActive}
              values={{
                engine: engineLabel,
                started: <Ago moment={createdAt} />,
                active: lastActivityAt !== undefined && <Ago moment={lastActivityAt} />,
              }}
            />
          </span>
        </div>
        <Used session={session} />
        {statusReason !== "" && <p className={rows.note}>{statusReason}</p>}
      </div>
      {live && !requestedStatus && (
        <Button onClick={() => setStopping(true)} aria-label={words.stopOf(owner)}>
          {words.stop}
        </Button>
      )}
      {stopping && <StopSessionDialog session={session} onClose={() => setStopping(false)} />}
    </li>
  );
}

/** What a session runs. */
function Entry({ session: { entryId, entryName, entryType } }: { session: OperatorSession }) {
  if (entryId === undefined || entryType === undefined) {
    return <span className={rows.note}>{words.privateEntry}</span>;
  }
  return <Link to={entryPath({ id: entryId, type: entryType })}>{entryName}</Link>;
}

/** What a running session uses, and of how much. */
function Used({ session: { usage, limits } }: { session: OperatorSession }) {
  if (!usage) {
    return null;
  }
  const { memory, cpus, disk } = usageParts(usage, limits);
  return (
    <dl className={styles.used}>
      {[
        [words.memory, memory],
        [words.cpus, cpus],
        [words.disk, disk],
      ].map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={words.loading}>
      {[1, 2, 3, 4].map((row) => (
        <div key={row} className={rows.row}>
          <div className={rows.what}>
            <Skeleton width="40%" />
            <Skeleton width="65%" height="22px" />
          </div>
          <Skeleton width="5rem" height="36px" />
        </div>
      ))}
    </div>
  );
}
