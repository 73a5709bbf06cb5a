import { queryOptions } from "@tanstack/react-query";
import { addressOf } from "@/api/client";
import { transport } from "@/api/transport";
import type { Resource } from "@/api/types";
import { requestTimeout } from "@/lib/constants";
import type { AddedVersion, StoredUploads, UploadContents, UploadTask, UsedUploads, VersionChanges } from "./shapes";
import { versionsKey } from "./versionsQuery";

const base = "/api/v1/rf";

/** Where uploads are made. */
export const uploadsPath = `${base}/uploads`;

/** The prefix of all queries about uploads. */
export const uploadsKey = ["uploads"];

/** How long reading much may take, in milliseconds. */
export const readingPatience = 5 * 60_000;

/** How long comparing two versions may take. */
const comparePatience = 60_000;

const taskInterval = 1_000;

interface Call {
  path?: Record<string, string | number>;
  query?: Record<string, string | number>;
  method?: "GET" | "POST" | "DELETE";
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
  patience?: number;
}

export async function call(path: string, { method = "GET", body, signal, ...rest }: Call) {
  const { path: values = {}, query = {}, headers = {}, patience = requestTimeout } = rest;
  return transport(
    new Request(addressOf(`${base}${path}`, { path: values, query }), {
      method,
      headers: { ...headers, ...(body !== undefined && { "Content-Type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
    patience,
  );
}

export async function json<Answer>(path: string, options: Call): Promise<Answer> {
  return (await call(path, options)).json();
}

/** The caller's uploads that no entry uses yet, and how much room they have. */
export const storedUploadsQuery = queryOptions({
  queryKey: [...uploadsKey, "stored"],
  queryFn: ({ signal }) => json<StoredUploads>("/uploads", { signal }),
});

export const deleteUpload = (id: string) =>
  call("/uploads/{id}", { path: { id }, method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } });

/** What is in uploads, and what they can become. */
export const readContents = (uploads: UsedUploads) =>
  json<UploadContents>("/uploads/contents", {
    method: "POST",
    body: uploads,
    patience: readingPatience,
  });

/** What files became, or the task that goes on until then. */
export type Made<Result> = { result: Result; task?: never } | { task: UploadTask; result?: never };

export async function made<Result>(response: Response): Promise<Made<Result>> {
  return response.status === 202
    ? { task: (await response.json()) as UploadTask }
    : { result: (await response.json()) as Result };
}

/** Adds an entry of uploads whose contents were read before. */
export const addEntryOf = async ({ upload }: UsedUploads, fields: object) =>
  made<Resource>(await call("/resources", { method: "POST", body: { ...fields, upload }, patience: readingPatience }));

/** Adds a version of uploads to an entry. Their contents are to be read before: that compares their digests. */
export const addVersionOf = async (id: string, { upload }: UsedUploads, note: string) =>
  made<AddedVersion>(
    await call("/resources/{id}/content", {
      path: { id },
      method: "POST",
      body: { upload, note },
      patience: readingPatience,
    }),
  );

export const taskQuery = (first: UploadTask) =>
  queryOptions({
    queryKey: [...uploadsKey, "tasks", first.id],
    queryFn: ({ signal }) => json<UploadTask>("/uploads/tasks/{id}", { path: { id: first.id }, signal }),
    initialData: first,
    refetchInterval: ({ state: { data } }) =>
      data?.state === "WAITING" || data?.state === "WORKING" ? taskInterval : false,
  });

export const cancelTask = (id: string) => call("/uploads/tasks/{id}", { path: { id }, method: "DELETE" });

/** What changed from one version to another. */
export const versionChangesQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: [...versionsKey(id), from, to],
    queryFn: ({ signal }) =>
      json<VersionChanges>("/resources/public/{id}/versions/{n}/changes", {
        ...{ path: { id, n: to }, query: { with: from }, signal },
        patience: comparePatience,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const withdrawVersion = (id: string, n: number, reason: string) =>
  call("/resources/{id}/versions/{n}/withdraw", { path: { id, n }, method: "POST", body: { reason } });
