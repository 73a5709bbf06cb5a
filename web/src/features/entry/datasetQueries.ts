import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";

/** Separate from the keys of entries, because a star doesn't affect the data. */
const datasetKeys = {
  folder: (id: string, path: string) => ["datasets", id, "folder", path] as const,
  table: (id: string, path: string) => ["datasets", id, "table", path] as const,
  text: (id: string, path: string) => ["datasets", id, "text", path] as const,
};

/** The content of a folder in a dataset, or why it can't be shown. */
export function folderQuery(id: string, path: string) {
  return queryOptions({
    queryKey: datasetKeys.folder(id, path),
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { path } };
      return answer(api.GET("/api/v1/rf/resources/public/{id}/dataset", { params, signal }));
    },
  });
}

/** A preview of a dataset's table. */
export function tableQuery(id: string, path: string) {
  return queryOptions({
    queryKey: datasetKeys.table(id, path),
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { path } };
      return answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/table", { params, signal }));
    },
  });
}

/** A preview of a dataset's text file. */
export function textQuery(id: string, path: string) {
  return queryOptions({
    queryKey: datasetKeys.text(id, path),
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { path } };
      return answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/text", { params, signal }));
    },
  });
}
