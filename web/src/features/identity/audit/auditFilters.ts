/** The filters of the audit page. Its address contains all of them. */
export interface AuditFilters {
  actor: string;
  object: string;
  action: string;
  /** The first and the last day, as in 2026-03-01. */
  from: string;
  to: string;
  /** Counted from 1. */
  page: number;
}

/** What narrows the search down: everything but the page. */
export const auditFields = ["actor", "object", "action", "from", "to"] as const;

/** Parses an address; an invalid page counts as the first. */
export function readAuditFilters(params: URLSearchParams): AuditFilters {
  const page = Number(params.get("page"));
  const text = (name: string) => params.get(name)?.trim() ?? "";
  return {
    actor: text("actor"),
    object: text("object"),
    action: text("action"),
    from: text("from"),
    to: text("to"),
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
  };
}

/** The fields that are set. */
export function auditSearch(filters: AuditFilters): Partial<Record<(typeof auditFields)[number], string>> {
  return Object.fromEntries(auditFields.flatMap((name) => (filters[name] === "" ? [] : [[name, filters[name]]])));
}

/** The query of the address, without defaults. */
export function writeAuditFilters(filters: AuditFilters): string {
  return new URLSearchParams({
    ...auditSearch(filters),
    ...(filters.page > 1 && { page: String(filters.page) }),
  }).toString();
}
