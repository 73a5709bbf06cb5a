/** Which sessions operators look at. */
export const shownSessions = ["live", "all", "ERROR"] as const;

export type ShownSessions = (typeof shownSessions)[number];

/** What the sessions are sorted by; by usage, only those that run or start are listed. */
export const sessionOrders = ["newest", "memory", "cpus", "disk"] as const;

export type SessionOrder = (typeof sessionOrders)[number];

/** The filters of the operators' page of sessions. Its address contains all of them. */
export interface OperatorFilters {
  search: string;
  show: ShownSessions;
  sort: SessionOrder;
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
    sort: sessionOrders.find((one) => one === params.get("sort")) ?? "newest",
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
  };
}

/** The query of the address, without defaults. */
export function writeOperatorFilters({ search, show, sort, page }: OperatorFilters): string {
  return new URLSearchParams({
    ...(show !== "live" && { show }),
    ...(search.trim() !== "" && { search }),
    ...(sort !== "newest" && { sort }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
}
