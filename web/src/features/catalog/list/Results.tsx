import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useRef } from "react";
import { indexProgress, messageOf } from "@/api/problem";
import type { ResourcePage } from "@/api/types";
import { ResourceGrid, ResourceGridSkeleton } from "@/features/catalog/cards/ResourceGrid";
import { type Filters, writeFilters } from "@/features/catalog/filters";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Pager } from "@/ui/list/Pager";
import { Instead } from "./Instead";
import { resultsMessages as messages } from "./Results.messages";
import styles from "./Results.module.css";
import { SortChoice } from "./SortChoice";
import { useCompact } from "./useCompact";

// Only while a server builds its index.
const IndexState = lazy(async () => ({ default: (await import("@/features/catalog/IndexState")).IndexState }));

interface ResultsProps {
  /** The filters that the result is for. */
  filters: Filters;
  result: UseQueryResult<ResourcePage>;
  /** One sentence: what couldn't be loaded. */
  failure: string;
  /** Shown when nothing matches. */
  nothing: ReactNode;
  onChange: (part: Partial<Filters>) => void;
}

/** A page of results, or the state: loading, failed, or nothing found. */
export function Results(props: ResultsProps) {
  const { data, isPlaceholderData, isError } = props.result;
  const settled = data && !isPlaceholderData && !isError;
  return (
    <>
      {/* Always rendered, because screen readers announce changes only in an existing live region. */}
      <p role="status" className="visually-hidden">
        {settled && (data.totalElements === 0 ? messages.none : messages.total(data.totalElements))}
      </p>
      <Shown {...props} />
    </>
  );
}

function Shown({ filters, result, failure, nothing, onChange }: ResultsProps) {
  const { data, error, failureReason, isError, isPlaceholderData: former, refetch } = result;
  const list = useRef<HTMLElement>(null);
  const [compact, chooseCompact] = useCompact();
  const progress = isError ? undefined : indexProgress(failureReason);
  if (progress)
    return (
      <Suspense>
        <IndexState {...progress} />
      </Suspense>
    );
  // The previous answer stays if only refetching failed.
  if (error && !data) {
    return <ErrorState title={failure} message={`${messageOf(error)} ${messages.kept}`} onRetry={() => refetch()} />;
  }
  if (!data || (former && data.content.length === 0)) {
    return (
      <div className={styles.results}>
        <div className={styles.line}>
          <Skeleton width="9rem" height="21px" />
        </div>
        <ResourceGridSkeleton compact={compact} />
      </div>
    );
  }
  if (data.totalElements === 0) return nothing;
  if (data.content.length === 0) {
    return (
      <Empty
        title={messages.noPage(data.number + 1)}
        action={
          <Button onClick={() => onChange({ page: data.totalPages })}>{messages.showPage(data.totalPages)}</Button>
        }
      >
        <p>{messages.pages(data.totalPages)}</p>
      </Empty>
    );
  }
  return (
    <section ref={list} className={styles.results} aria-label={messages.label} tabIndex={-1}>
      <div className={styles.line}>
        <h2 className={styles.total}>{former ? messages.searching : messages.total(data.totalElements)}</h2>
        <SortChoice filters={filters} onChange={(sort) => onChange({ sort })} />
        <button type="button" className={styles.view} aria-pressed={compact} onClick={() => chooseCompact(!compact)}>
          {messages.compact}
        </button>
      </div>
      {/* Not loaded later: it is above the results, which would move. */}
      {data.hint && <Instead text={filters.text} page={data} />}
      <ResourceGrid
        resources={data.content}
        from={writeFilters(filters)}
        chosen={filters.tags}
        stale={former}
        compact={compact}
      />
      <Pager page={data.number + 1} pages={data.totalPages} onPage={(page) => onChange({ page })} list={list} />
    </section>
  );
}
