import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { transport } from "@/api/transport";
import type { Session, Version, VersionDiff, VersionFilePage, VersionPage } from "@/api/types";
import { sessionsKey } from "../queries";

/** The number of versions on a page of the list. */
export const pageSize = 100;

/** The versions of a session, newest first; with a path only those in which that file changed. */
export const versionsQuery = (id: string, path: string, page: number) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "versions", { path, page }],
    queryFn: ({ signal }): Promise<VersionPage> =>
      answer(
        api.GET("/api/v1/rf/sessions/{id}/versions", {
          params: { path: { id }, query: { path, pageNumber: page - 1, pageSize } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** A page of what is in a folder of a version. */
export const filesQuery = (id: string, version: string, path: string, page: number) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "versions", version, "files", { path, page }],
    queryFn: ({ signal }): Promise<VersionFilePage> =>
      answer(
        api.GET("/api/v1/rf/sessions/{id}/versions/{version}/files", {
          params: { path: { id, version }, query: { path, pageNumber: page - 1, pageSize } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** How a file of a version differs from the present one. */
export const diffQuery = (id: string, version: string, path: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "versions", version, "diff", path],
    queryFn: ({ signal }): Promise<VersionDiff> =>
      answer(
        api.GET("/api/v1/rf/sessions/{id}/versions/{version}/diff", {
          params: { path: { id, version }, query: { path } },
          signal,
        }),
      ),
    retry: false,
  });

/** Saves a version now. */
export const saveVersion = (id: string, name: string): Promise<Version> =>
  answer(api.POST("/api/v1/rf/sessions/{id}/versions", { params: { path: { id } }, body: { name } }));

export interface Wish {
  version: string;
  /** In the work folder; "" is all of it. */
  path: string;
  into: "beside" | "place";
}

/** Brings a file, a folder or everything back, and returns the path that was written. */
export async function restoreVersion(id: string, { version, path, into }: Wish): Promise<string> {
  const restored = await answer(
    api.POST("/api/v1/rf/sessions/{id}/versions/{version}/restore", {
      params: { path: { id, version } },
      body: { path, into },
    }),
  );
  return restored.path;
}

/** The content of a file of a version; "present" is the present one. */
export async function fileOf(id: string, version: string, path: string, signal?: AbortSignal): Promise<Blob> {
  const address = `/api/v1/rf/sessions/${id}/versions/${version}/file?${new URLSearchParams({ path })}`;
  const response = await transport(new Request(address, signal && { signal }));
  return response.blob();
}

export const deletedKey = [...sessionsKey, "deleted"];

/** The sessions that were deleted and can still be brought back, newest first. */
export const deletedQuery = queryOptions({
  queryKey: deletedKey,
  queryFn: ({ signal }): Promise<Session[]> =>
    answer(api.GET("/api/v1/rf/sessions", { params: { query: { status: "DELETED" } }, signal })),
});

export const undelete = (id: string): Promise<Session> =>
  answer(api.POST("/api/v1/rf/sessions/{id}/undelete", { params: { path: { id } } }));

export const deleteNow = (id: string): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/sessions/{id}", { params: { path: { id }, query: { now: true } } }));
