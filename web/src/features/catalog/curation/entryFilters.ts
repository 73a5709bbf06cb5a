/** Which entries operators look at. */
export const entryStates = ["new", "reported", "hidden"] as const;
export type EntryState = (typeof entryStates)[number];

/** The filters of the operators' page of entries. Its address contains all of them. */
export interface EntryFilters {
  search: string;
  /** Undefined: all entries. */
  state: EntryState | undefined;
  /** Counted from 1. */
  page: number;
}

/** Parses an address; invalid values count as absent. */
export function readEntryFilters(params: URLSearchParams): EntryFilters {
  const page = Number(params.get("page"));
  return {
    search: params.get("search") ?? "",
    state: entryStates.find((state) => state === params.get("state")),
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
  };
}

/** The query of the address, without defaults. */
export function writeEntryFilters({ search, state, page }: EntryFilters): string {
  return new URLSearchParams({
    ...(state && { state }),
    ...(search.trim() !== "" && { search }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
}
