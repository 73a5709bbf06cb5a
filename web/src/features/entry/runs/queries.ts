import { queryOptions } from "@tanstack/react-query";
import { addressOf, answer, api } from "@/api/client";
import { Problem } from "@/api/problem";
import { transport } from "@/api/transport";
import type { Run, RunPage } from "@/api/types";
import { ofVersion, type Version } from "@/api/version";
import { pollDelay } from "@/lib/polling";
import type { Comparison, Notebook } from "./comparison";

/** How many runs the history shows. */
const shownRuns = 40;

/** Whether a run hasn't ended. */
export const isLive = ({ state }: Pick<Run, "state">): boolean => state === "QUEUED" || state === "RUNNING";

/** The latest runs of an entry, the newest first, polled while one of them hasn't ended and the page is visible. */
export function runsQuery(id: string, version: Version) {
  return queryOptions({
    queryKey: ["runs", id, "list", version],
    queryFn: ({ signal }): Promise<RunPage> => {
      const params = ofVersion(id, version, { pageSize: shownRuns });
      return answer(api.GET("/api/v1/rf/resources/public/{id}/runs", { params, signal }));
    },
    retry: false,
    refetchInterval: ({ state: { data, error, errorUpdateCount, fetchFailureCount } }) =>
      data?.content.some(isLive) === true &&
      pollDelay({
        answered: true,
        failures: error ? Math.max(errorUpdateCount, fetchFailureCount) : 0,
        refused: error instanceof Problem && error.status >= 400 && error.status < 500,
      }),
  });
}

/** A file that a run leaves. */
export type Artifact = "notebook" | "author" | "log" | "comparison" | "crate.zip";

/** The address at which a file of a run is downloaded. */
export function artifactAddress({ id, resourceId }: Pick<Run, "id" | "resourceId">, artifact: Artifact): string {
  return addressOf("/api/v1/rf/resources/public/{id}/runs/{run}/{artifact}", {
    path: { id: resourceId, run: id, artifact },
  });
}

/** How to cite a run, in every format. */
export function runCitationQuery({ id, resourceId }: Pick<Run, "id" | "resourceId">) {
  const path = { id: resourceId, run: id };
  return queryOptions({
    queryKey: ["runs", resourceId, id, "citation"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/runs/{run}/citation", { params: { path }, signal })),
  });
}

/** The text of a file of a run that has ended, which never changes. */
function artifactQuery<Value>(run: Run, artifact: Artifact, read: (text: string) => Value) {
  return queryOptions({
    queryKey: ["runs", run.resourceId, run.id, artifact],
    queryFn: async ({ signal }) =>
      read(await (await transport(new Request(artifactAddress(run, artifact), { signal }))).text()),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export const logQuery = (run: Run) => artifactQuery(run, "log", (text) => text);
export const comparisonQuery = (run: Run) => artifactQuery(run, "comparison", (text) => JSON.parse(text) as Comparison);
export const notebookQuery = (run: Run, artifact: "notebook" | "author") =>
  artifactQuery(run, artifact, (text) => JSON.parse(text) as Notebook);

/** Queues a run of a file of an entry; without one, of the file that its sessions open. */
export function startRun(id: string, file: string | undefined): Promise<Run> {
  const body = file === undefined ? {} : { file };
  return answer(api.POST("/api/v1/rf/resources/{id}/runs", { params: { path: { id } }, body }));
}

export function stopRun({ id, resourceId }: Run): Promise<boolean> {
  return answer(api.DELETE("/api/v1/rf/resources/{id}/runs/{run}", { params: { path: { id: resourceId, run: id } } }));
}
