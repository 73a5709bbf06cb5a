import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { useAuth } from "@/features/identity/useAuth";
import { SearchBox } from "@/ui/list/SearchBox";
import { Page } from "@/ui/Page";
import { toast } from "@/ui/toast";
import { catalogPageMessages as messages } from "./CatalogPage.messages";
import styles from "./CatalogPage.module.css";
import { searchQuery } from "./list/listQueries";
import { Results } from "./list/Results";
import { useFilters } from "./list/useFilters";
import { RunFilter } from "./RunFilter";
import { SearchTips } from "./SearchTips";
import { TagButton } from "./TagButton";
import { TagFilter } from "./TagFilter";
import { TypeFilter } from "./TypeFilter";

// It takes no room while no tag is chosen, and the room of one line until it is there.
const AppliedFilters = lazy(async () => ({ default: (await import("./AppliedFilters")).AppliedFilters }));

const NothingFound = lazy(async () => ({ default: (await import("./NothingFound")).NothingFound }));

/** The research catalog: search, filters and results. The address has every choice. */
export function CatalogPage() {
  const { shown, sent, unknownTypes, change } = useFilters();
  const { state } = useAuth();
  const result = useQuery({ ...searchQuery(sent, state === "authenticated"), enabled: state !== "loading" });
  useInvalidTypeToast(unknownTypes);
  useFailureToast(result.errorUpdateCount);
  const facets = result.data?.facets;
  const stale = result.isPlaceholderData;
  const tags = {
    filters: shown,
    stale,
    tags: facets?.tags ?? (result.isError ? null : undefined),
    onChange: change,
  };
  return (
    <Page dense>
      <div className={styles.controls}>
        <SearchBox
          main
          label={messages.search}
          placeholder={messages.placeholder}
          text={shown.text}
          onSearch={(text) => change({ text })}
        />
        <TypeFilter chosen={shown.types} counts={facets?.types} stale={stale} onChange={(types) => change({ types })} />
        <RunFilter chosen={shown.runs} counts={facets?.runs} stale={stale} onChange={(runs) => change({ runs })} />
        <TagButton {...tags} total={stale ? undefined : result.data?.totalElements} />
        <SearchTips />
      </div>
      <div className={styles.columns}>
        <TagFilter {...tags} />
        <div className={styles.found}>
          <Suspense fallback={shown.tags.length > 0 && <div className={styles.appliedLine} />}>
            <AppliedFilters filters={shown} onChange={change} />
          </Suspense>
          <Results
            filters={sent}
            result={result}
            failure={messages.failure}
            nothing={
              <Suspense>
                <NothingFound filters={sent} hint={result.data?.hint} onChange={change} />
              </Suspense>
            }
            onChange={change}
          />
        </div>
      </div>
    </Page>
  );
}

/** Reports once per address that a type in it doesn't exist; the search uses the others. */
function useInvalidTypeToast(unknownTypes: string[]) {
  const unknown = unknownTypes.join(", ");
  const said = useRef("");
  useEffect(() => {
    if (unknown === said.current) return;
    said.current = unknown;
    if (unknown !== "") void import("./unknownTypes").then((trouble) => trouble.tellUnknownTypes(unknown));
  }, [unknown]);
}

function useFailureToast(failures: number) {
  const known = useRef(failures);
  useEffect(() => {
    if (failures > known.current) toast.error(messages.fetching, messages.fetchingDetail);
    known.current = failures;
  }, [failures]);
}
