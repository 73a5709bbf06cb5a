/** Which sessions operators look at. */
export const shownSessions = ["live", "all", "ERROR"] as const;

export type ShownSessions = (typeof shownSessions)[number];

/** The filters of the operators' page of sessions. Its address contains all of them. */
export interface OperatorFilters {
  search: string;
  show: ShownSessions;
  /** Counted from 1. */
  page: number;
}

/** Parses an address; invalid values count as absent. */
export function readOperatorFilters(params: URLSearchParams): OperatorFilters {
  const page = Number(params.get("page"));
  const shown = params.get("all") === "true" ? "all" : params.get("show"); // older bookmarks have all=true
  return {
    search: params.get("search") ?? "",
    show: shownSessions.find((one) => one === shown) ?? "live",
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
  };
}

/** The query of the address, without defaults. */
export function writeOperatorFilters({ search, show, page }: OperatorFilters): string {
  return new URLSearchParams({
    ...(show !== "live" && { show }),
    ...(search.trim() !== "" && { search }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
}
