import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";

/** What a call asks for: a place in an entry's dataset. */
export const at = (id: string, path: string, signal: AbortSignal) => ({
  params: { path: { id }, query: { path } },
  signal,
});

// The keys are separate from those of entries, because a star doesn't affect the data.

/** The content of a folder in a dataset, or why it can't be shown. */
export function folderQuery(id: string, path: string) {
  return queryOptions({
    queryKey: ["datasets", id, "folder", path],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}/dataset", at(id, path, signal))),
  });
}

/** A preview of a dataset's table; of a spreadsheet, of one of its sheets, or of the first. */
export function tableQuery(id: string, path: string, sheet: string | undefined) {
  return queryOptions({
    queryKey: ["datasets", id, "table", path, sheet],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/rf/resources/public/{id}/dataset/table", {
          params: { path: { id }, query: { path, ...(sheet !== undefined && { sheet }) } },
          signal,
        }),
      ),
  });
}

/** How many files a dataset has, and their size. */
export function totalQuery(id: string) {
  return queryOptions({
    queryKey: ["datasets", id, "total"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/total", { params: { path: { id } }, signal })),
  });
}
