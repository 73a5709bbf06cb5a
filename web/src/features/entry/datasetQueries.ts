import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { ofVersion, type Version } from "@/api/version";

/** What a call asks for: a place in an entry's dataset. */
export const at = (id: string, path: string, version: Version, signal: AbortSignal) => ({
  params: ofVersion(id, version, { path }),
  signal,
});

// The keys are separate from those of entries, because a star doesn't affect the data.

/** The content of a folder in a dataset, or why it can't be shown. */
export function folderQuery(id: string, path: string, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "folder", path, version],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}/dataset", at(id, path, version, signal))),
  });
}

/** A preview of a dataset's table; of a spreadsheet, of one of its sheets, or of the first. */
export function tableQuery(id: string, path: string, sheet: string | undefined, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "table", path, sheet, version],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/rf/resources/public/{id}/dataset/table", {
          params: ofVersion(id, version, { path, ...(sheet !== undefined && { sheet }) }),
          signal,
        }),
      ),
  });
}

/** How many files a dataset has, and their size. */
export function totalQuery(id: string, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "total", version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/total", { params: ofVersion(id, version), signal })),
  });
}
