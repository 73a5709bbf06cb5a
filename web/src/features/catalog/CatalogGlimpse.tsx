import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { indexProgress, messageOf } from "@/api/problem";
import type { ResourcePage } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { number } from "@/lib/format";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { toneClass } from "@/ui/tone";
import { catalogGlimpseMessages as messages } from "./CatalogGlimpse.messages";
import styles from "./CatalogGlimpse.module.css";
import { ResourceGrid, ResourceGridSkeleton } from "./cards/ResourceGrid";
import { catalogPath } from "./filters";
import { kinds, resourceTypes } from "./kinds";
import { landingQuery } from "./queries";

// Only while a server builds its index.
const IndexState = lazy(async () => ({ default: (await import("./IndexState")).IndexState }));

/** The number of entries of each kind, and the ones that the landing page shows. */
export function CatalogGlimpse() {
  const { state } = useAuth();
  const { data, error, isError, failureReason, refetch, isFetching } = useQuery({
    ...landingQuery(state === "authenticated"),
    enabled: state !== "loading",
  });
  const progress = isError ? undefined : indexProgress(failureReason);
  const retry = () => refetch();
  return (
    <section className={styles.glimpse} aria-labelledby="glimpse">
      <h2 id="glimpse">{messages.title}</h2>
      {progress ? (
        <Suspense>
          <IndexState {...progress} />
        </Suspense>
      ) : error && !data ? (
        <ErrorState title={messages.failure} message={messageOf(error)} onRetry={retry} retrying={isFetching} />
      ) : data?.totalElements === 0 ? (
        <Empty title={messages.none} action={<LinkButton to="/add">{messages.add}</LinkButton>} />
      ) : (
        <Entries page={data} />
      )}
    </section>
  );
}

/** Counts and cards; placeholders while `page` is undefined. */
function Entries({ page }: { page: ResourcePage | undefined }) {
  const figure = (text: ReactNode) => <span className={styles.number}>{text}</span>;
  return (
    <>
      <ul className={styles.kinds}>
        {resourceTypes.map((type) => (
          <li key={type} className={toneClass(kinds[type].tone)}>
            <Link to={catalogPath({ types: [type] })}>
              {figure(page ? number(page.facets?.types[type] ?? 0) : <Skeleton width="2ch" height="1em" />)}
              {kinds[type].plural}
            </Link>
          </li>
        ))}
      </ul>
      {page ? <ResourceGrid resources={page.content} /> : <ResourceGridSkeleton />}
      {page?.runs && page.runs.tried > 0 && <p>{messages.ran(page.runs.clean, page.runs.tried)}</p>}
      {page && (
        <p className={styles.more}>
          <Link to={catalogPath()}>{messages.all(page.totalElements)}</Link>
          <Link to={catalogPath({ sort: "stars" })}>{messages.starred}</Link>
        </p>
      )}
    </>
  );
}
