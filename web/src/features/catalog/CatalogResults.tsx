import type { UseQueryResult } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { ResourcePage } from "@/api/types";
import { count } from "@/lib/format";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Pager } from "@/ui/Pager";
import styles from "./CatalogResults.module.css";
import { catalogPath, type Filters } from "./filters";
import { kinds } from "./kinds";
import { ResourceGrid, ResourceGridSkeleton } from "./ResourceGrid";
import { Total } from "./Total";

interface CatalogResultsProps {
  /** What the result answers. */
  filters: Filters;
  /** The same as the query of an address. */
  query: string;
  result: UseQueryResult<ResourcePage>;
  onPage: (page: number) => void;
}

/** What matches the filters; or that it is still to come, failed, or that nothing matches. */
export function CatalogResults({ filters, query, result, onPage }: CatalogResultsProps) {
  const { data, error, isPlaceholderData, refetch } = result;
  if (error) {
    return <ErrorState title="The catalog could not be read." message={messageOf(error)} onRetry={() => refetch()} />;
  }
  if (!data) {
    return (
      <div className={styles.results}>
        <Skeleton width="9rem" height="21px" />
        <ResourceGridSkeleton />
      </div>
    );
  }
  if (data.totalElements === 0 && !isPlaceholderData) return <NothingFound filters={filters} />;
  return (
    <section className={styles.results} aria-label="Results">
      <Total>
        {count(data.totalElements, "result", "results")}
        {filters.text.trim() === "" ? ", by name" : ", sorted by relevance"}
      </Total>
      <ResourceGrid resources={data.content} from={query} stale={isPlaceholderData} />
      <Pager page={data.number + 1} pages={data.totalPages} onPage={onPage} />
    </section>
  );
}

function NothingFound({ filters: { types, tags, text } }: { filters: Filters }) {
  return (
    <Empty
      title="No resources found with the following criteria"
      action={<LinkButton to={catalogPath()}>Show the whole catalog</LinkButton>}
    >
      <dl className={styles.criteria}>
        {text !== "" && (
          <div>
            <dt>Text</dt>
            <dd>{text}</dd>
          </div>
        )}
        <div>
          <dt>Tags</dt>
          <dd>{tags.length === 0 ? "any" : tags.join(", ")}</dd>
        </div>
        <div>
          <dt>Types</dt>
          <dd>{types.length === 0 ? "any" : types.map((type) => kinds[type].plural).join(", ")}</dd>
        </div>
      </dl>
    </Empty>
  );
}
