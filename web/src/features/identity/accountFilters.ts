/** The filters of the accounts page. Its address contains all of them. */
export interface AccountFilters {
  search: string;
  /** Only those who wait to be enabled. */
  waiting: boolean;
  /** Counted from 1. */
  page: number;
}

/** Parses an address; invalid values count as absent. */
export function readAccountFilters(params: URLSearchParams): AccountFilters {
  const page = Number(params.get("page"));
  return {
    search: params.get("search") ?? "",
    waiting: params.get("waiting") === "true",
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
  };
}

/** The query of the address, without defaults. */
export function writeAccountFilters({ search, waiting, page }: AccountFilters): string {
  return new URLSearchParams({
    ...(waiting && { waiting: "true" }),
    ...(search.trim() !== "" && { search }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
}
