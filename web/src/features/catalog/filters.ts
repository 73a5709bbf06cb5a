import type { ResourceType, RunOutcome } from "@/api/types";
import { searchParameter } from "@/lib/constants";
import { joinTags, splitTags } from "@/lib/tags";
import { isResourceType, resourceTypes } from "./kinds";
import { runOutcomes } from "./runOutcomes";
import { isSort, type Sort } from "./sorts";

/** The filters of a catalog page, all of which are in its address. */
export interface Filters {
  /** None means any. */
  types: ResourceType[];
  tags: string[];
  /** How the last run came out: any of these; absent for all. */
  runs?: RunOutcome[] | undefined;
  text: string;
  /** Default: see sortInForce. */
  sort?: Sort | undefined;
  /** Counted from 1. */
  page: number;
}

const typesKey = "resourceTypes";
const tagsKey = "tags";
const runsKey = "runs";
const sortKey = "sort";
const pageKey = "page";

/** Reads the filters of an address; `unknownTypes` are the types in it that don't exist. */
export function readFilters(params: URLSearchParams): { filters: Filters; unknownTypes: string[] } {
  const types = [...new Set((params.get(typesKey) ?? "").split(",").filter((type) => type !== ""))];
  const page = Number.parseInt(params.get(pageKey) ?? "", 10);
  const sort = params.get(sortKey) ?? "";
  const runs = runOutcomes.filter((outcome) => params.get(runsKey)?.split(",").includes(outcome));
  return {
    filters: {
      types: types.filter(isResourceType),
      tags: splitTags(params.get(tagsKey) ?? ""),
      text: params.get(searchParameter) ?? "",
      ...(runs.length > 0 && { runs }),
      ...(isSort(sort) && { sort }),
      page: Number.isNaN(page) ? 1 : Math.max(page, 1),
    },
    unknownTypes: types.filter((type) => !isResourceType(type)),
  };
}

/** Writes the filters as the query of an address. Commas between values stay readable. */
export function writeFilters({ types, tags, runs = [], text, sort, page }: Filters): string {
  const params = new URLSearchParams();
  if (types.length > 0) params.set(typesKey, types.join(","));
  if (tags.length > 0) params.set(tagsKey, joinTags(tags));
  if (runs.length > 0) params.set(runsKey, runs.join(","));
  if (text !== "") params.set(searchParameter, text);
  if (sort) params.set(sortKey, sort);
  if (page > 1) params.set(pageKey, String(page));
  return params.toString().replaceAll("%2C", ",");
}

/** The catalog with these filters. */
export function catalogPath(filters: Partial<Filters> = {}): string {
  const query = writeFilters({ types: resourceTypes, tags: [], text: "", page: 1, ...filters });
  return query === "" ? "/resources" : `/resources?${query}`;
}

/** The text that finds all entries of an author. */
export function byAuthor(author: string): string {
  return `author:"${author}"`;
}

/** The target of Back on a detail page: the catalog with the filters in `from`, or the whole catalog. */
export function backPath(from: string | null): string {
  const { filters } = readFilters(new URLSearchParams(from ?? ""));
  return writeFilters(filters) === "" ? catalogPath() : catalogPath(filters);
}

/** Adds a missing value and removes a present one. */
export function toggled<Item>(items: Item[], item: Item): Item[] {
  return items.includes(item) ? items.filter((each) => each !== item) : [...items, item];
}
