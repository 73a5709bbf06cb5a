import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { transport } from "@/api/transport";
import type { AuditPage } from "@/api/types";
import { saveFile } from "@/lib/saveFile";
import { type AuditFilters, auditSearch } from "./auditFilters";

/** Records on a page. */
export const auditPageSize = 50;

/** The records that match, newest first. For operators. */
export function auditQuery(filters: AuditFilters) {
  const query = { ...auditSearch(filters), pageNumber: filters.page - 1, pageSize: auditPageSize };
  return queryOptions({
    queryKey: ["operator", "audit", query],
    queryFn: ({ signal }): Promise<AuditPage> =>
      answer(api.GET("/api/v1/rf/operator/audit", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** What concerns the viewer, newest first. */
export function activityQuery(page: number) {
  const query = { pageNumber: page - 1, pageSize: auditPageSize };
  return queryOptions({
    queryKey: ["account", "activity", query],
    queryFn: ({ signal }): Promise<AuditPage> =>
      answer(api.GET("/api/v1/rf/account/activity", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Saves all records that match as a file with a line of JSON each. */
export async function downloadAudit(filters: AuditFilters): Promise<void> {
  const query = new URLSearchParams({ ...auditSearch(filters), format: "ndjson" });
  const response = await transport(new Request(`/api/v1/rf/operator/audit?${query}`));
  saveFile(await response.blob(), "audit.ndjson");
}
