import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useAuth } from "@/features/identity/useAuth";
import { searchSendDelay } from "@/lib/constants";
import { Page } from "@/ui/Page";
import { SearchBox } from "@/ui/SearchBox";
import { toast } from "@/ui/toast";
import styles from "./CatalogPage.module.css";
import { CatalogResults } from "./CatalogResults";
import { type Filters, readFilters, writeFilters } from "./filters";
import { resourceTypes } from "./kinds";
import { searchQuery } from "./queries";
import { TagFilter } from "./TagFilter";
import { TypeFilter } from "./TypeFilter";
import { useSettled } from "./useSettled";

/** The research catalog: search, filters and what matches. Its address holds all that was chosen. */
export function CatalogPage() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { filters, unknownTypes } = readFilters(params);
  const query = writeFilters(filters);
  const sent = useSettled(filters, query, searchSendDelay);
  const { state } = useAuth();
  const result = useQuery({ ...searchQuery(sent), enabled: state !== "loading" });

  const change = (part: Partial<Filters>) =>
    navigate({ search: writeFilters({ ...filters, page: 1, ...part }) }, { replace: true, preventScrollReset: true });
  useInvalidTypeToast(unknownTypes);
  useFailureToast(result.errorUpdateCount);

  return (
    <Page
      title="Research Catalog"
      subtitle="Notebooks, repositories, datasets and models, made ready to run on your own machine and on remote ones."
    >
      <div className={styles.controls}>
        <SearchBox
          label="Search the catalog"
          placeholder="Names, topics, tags, authors"
          text={filters.text}
          onSearch={(text) => change({ text })}
        />
        <TypeFilter
          chosen={filters.types}
          counts={result.data?.facets?.types}
          onChange={(types) => change({ types })}
        />
      </div>
      <div className={styles.columns}>
        <TagFilter chosen={filters.tags} tags={result.data?.facets?.tags ?? []} onChange={(tags) => change({ tags })} />
        <CatalogResults
          filters={sent}
          query={query}
          result={result}
          onPage={(page) => navigate({ search: writeFilters({ ...filters, page }) })}
        />
      </div>
    </Page>
  );
}

/** Says once for each address that a type in it does not exist; the others are searched for. */
function useInvalidTypeToast(unknownTypes: string[]) {
  const unknown = unknownTypes.join(", ");
  const said = useRef("");
  useEffect(() => {
    if (unknown === said.current) return;
    said.current = unknown;
    if (unknown !== "") {
      toast.error("Invalid resource type", `There is no type ${unknown}. The types are ${resourceTypes.join(", ")}.`);
    }
  }, [unknown]);
}

function useFailureToast(failures: number) {
  const known = useRef(failures);
  useEffect(() => {
    if (failures > known.current)
      toast.error("Error fetching resources", "An error occurred while fetching resources.");
    known.current = failures;
  }, [failures]);
}
