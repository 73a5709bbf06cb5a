import { useQueries, useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { catalogPath } from "@/features/catalog/filters";
import { useAccount } from "@/features/identity/useAccount";
import { pageSize } from "@/lib/constants";
import { number } from "@/lib/format";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import rows from "@/ui/ListRow.module.css";
import { Skeleton } from "@/ui/Loading";
import { Chip } from "@/ui/list/Chip";
import { PagedList } from "@/ui/list/PagedList";
import { SearchBox } from "@/ui/list/SearchBox";
import { OperatorNav } from "@/ui/OperatorNav";
import operators from "@/ui/OperatorNav.module.css";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { type EntryFilters, type EntryState, entryStates, readEntryFilters, writeEntryFilters } from "./entryFilters";
import { operatorEntriesMessages as words } from "./OperatorEntriesPage.messages";
import styles from "./OperatorEntriesPage.module.css";
import { OperatorEntryRow } from "./OperatorEntryRow";
import { medianScoreQuery, operatorEntriesQuery } from "./operatorEntries";

/** /operator/entries: where operators look after the catalog. */
export function OperatorEntriesPage() {
  const account = useAccount();
  if (account.data?.operator) {
    return <Entries />;
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
        <Empty title={words.operatorsOnly} action={<LinkButton to={catalogPath()}>{words.catalog}</LinkButton>} />
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

function Entries() {
  const [params, setParams] = useSearchParams();
  const filters = readEntryFilters(params);
  const counts = useStateCounts();
  const change = (part: Partial<EntryFilters>) =>
    setParams(writeEntryFilters({ ...filters, page: 1, ...part }), { replace: true });
  return (
    <Page above={<OperatorNav />} subtitle={words.subtitle}>
      <div className={styles.controls}>
        <SearchBox
          label={words.search}
          placeholder={words.searchHint}
          text={filters.search}
          onSearch={(search) => change({ search })}
        />
        <fieldset className={operators.filter} aria-label={words.filter}>
          {[undefined, ...entryStates].map((state) => (
            <Chip key={state ?? "all"} tone="blue" pressed={filters.state === state} onToggle={() => change({ state })}>
              {words[state ?? "all"]}
              {state && counts[state] !== undefined && ` ${number(counts[state])}`}
            </Chip>
          ))}
        </fieldset>
      </div>
      <Found filters={filters} onPage={(page) => setParams(writeEntryFilters({ ...filters, page }))} />
      <MedianScore />
    </Page>
  );
}

/** How many entries there are in each state. */
function useStateCounts(): Partial<Record<EntryState, number>> {
  const found = useQueries({
    queries: entryStates.map((state) => operatorEntriesQuery({ state, search: "", page: 1 })),
  });
  return Object.fromEntries(entryStates.map((state, index) => [state, found[index]?.data?.totalElements]));
}

/** How well others can find and reuse the public entries. It comes late, so it is below the list. */
function MedianScore() {
  const { data } = useQuery(medianScoreQuery);
  if (!data || data.scored === 0) return null;
  const { median, of, scored, public: all } = data;
  return <p className={styles.median}>{words.median(number(median), number(of), scored, all)}</p>;
}

/** The entries that match the filters, or a state: loading, failed, or none. */
function Found({ filters, onPage }: { filters: EntryFilters; onPage: (page: number) => void }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(operatorEntriesQuery(filters));
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <Loading />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    const unmatched = filters.search.trim() !== "" || filters.page > 1;
    return (
      <Empty
        title={unmatched ? words.noMatch : words.nothing[filters.state ?? "all"]}
        action={<LinkButton to="/operator/entries">{words.showAll}</LinkButton>}
      />
    );
  }
  return (
    <PagedList
      label={words.list}
      total={words.total(data.totalElements)}
      busy={isPlaceholderData}
      page={filters.page}
      pages={Math.ceil(data.totalElements / pageSize)}
      onPage={onPage}
    >
      {data.content.map((entry) => (
        <OperatorEntryRow key={entry.id} entry={entry} />
      ))}
    </PagedList>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={words.loading}>
      {[1, 2, 3, 4].map((row) => (
        <div key={row} className={styles.row}>
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
