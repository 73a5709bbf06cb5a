import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { addressOf, answer, api } from "@/api/client";
import { transport } from "@/api/transport";
import type { DeclaredParameters, Job, JobFilePage, JobPage, JobWish, Schedule, Session } from "@/api/types";
import type { Comparison, Notebook } from "@/features/entry/runs/comparison";
import { isLive, jobsKey, lookInterval } from "@/features/sessions/jobs";
import type { Executed } from "./cells";
import type { Counts } from "./changes";
import type { Source } from "./source";

/** How many jobs a page of the list has. */
export const pageSize = 20;

/** How many files of a job a page of them has. */
export const filesPageSize = 100;

/** How often a job that goes on is looked at, in milliseconds. */
const quick = 2_000;

/** How long a large result may take to arrive, in milliseconds. */
const downloadPatience = 10 * 60_000;
const notebookPatience = 60_000;

/** A page of the caller's jobs, newest first; counted from 1. */
export const jobPageQuery = (page: number) =>
  queryOptions({
    queryKey: [...jobsKey, "page", page],
    queryFn: ({ signal }): Promise<JobPage> =>
      answer(api.GET("/api/v1/rf/jobs", { params: { query: { pageNumber: page - 1, pageSize } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => lookInterval(state.data?.content),
  });

/** The jobs that were deleted and can be undeleted. */
export const deletedJobsQuery = queryOptions({
  queryKey: [...jobsKey, "deleted"],
  queryFn: async ({ signal }): Promise<Job[]> =>
    (await answer(api.GET("/api/v1/rf/jobs", { params: { query: { deleted: true, pageSize: 100 } }, signal }))).content,
});

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id],
    queryFn: ({ signal }): Promise<Job> =>
      answer(api.GET("/api/v1/rf/jobs/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => data !== undefined && isLive(data) && quick,
  });

/** All schedules: an account has at most 50. */
export const schedulesQuery = queryOptions({
  queryKey: [...jobsKey, "schedules"],
  queryFn: async ({ signal }): Promise<Schedule[]> =>
    (await answer(api.GET("/api/v1/rf/schedules", { params: { query: { pageSize: 100 } }, signal }))).content,
  refetchInterval: 30_000,
});

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...jobsKey, "schedules", id],
    queryFn: ({ signal }): Promise<Schedule> =>
      answer(api.GET("/api/v1/rf/schedules/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });

/** One of the caller's sessions. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["sessions", id],
    queryFn: ({ signal }): Promise<Session> =>
      answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });

/** Which values a notebook of a session, or of an entry's repository, can be executed with. */
export const parametersQuery = (of: "entry" | "session", id: string, file: string) =>
  queryOptions({
    queryKey: [...jobsKey, "parameters", of, id, file],
    queryFn: ({ signal }): Promise<DeclaredParameters> =>
      of === "session"
        ? answer(
            api.GET("/api/v1/rf/sessions/{id}/parameters", { params: { path: { id }, query: { path: file } }, signal }),
          )
        : answer(
            api.GET("/api/v1/rf/resources/public/{id}/parameters", {
              params: { path: { id }, query: file === "" ? {} : { file } },
              signal,
            }),
          ),
    retry: false,
    refetchOnWindowFocus: false,
  });

/** Starts a job, or with times schedules it; with the same key it is the same one. */
export const startJob = (body: JobWish, key: string): Promise<Job | Schedule> =>
  answer(api.POST("/api/v1/rf/jobs", { params: { header: { "Idempotency-Key": key } }, body }));

export const undeleteJob = (id: string): Promise<Job> =>
  answer(api.POST("/api/v1/rf/jobs/{id}/undelete", { params: { path: { id } } }));

export const pauseSchedule = (id: string, paused: boolean): Promise<Schedule> =>
  answer(api.PATCH("/api/v1/rf/schedules/{id}", { params: { path: { id } }, body: { paused } }));

export const deleteSchedule = (id: string): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/schedules/{id}", { params: { path: { id } } }));

/** What a job leaves, as a file. */
export type JobPart = "notebook" | "log" | "files.zip" | "crate.zip";

const addressOfPart = (id: string, part: JobPart): string =>
  addressOf("/api/v1/rf/jobs/{id}/{part}", { path: { id, part } });

export async function downloadPart(id: string, part: JobPart): Promise<Blob> {
  return (await transport(new Request(addressOfPart(id, part)), downloadPatience)).blob();
}

/** The executed notebook of a job that has ended, for the pictures in it. */
export const comparedNotebookQuery = (id: string) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id, "compared"],
    queryFn: async ({ signal }): Promise<Notebook> =>
      (await transport(new Request(addressOfPart(id, "notebook"), { signal }), notebookPatience)).json(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The executed notebook. While the job goes on, another one after each cell. */
export const notebookQuery = ({ id, state, cells }: Pick<Job, "id" | "state" | "cells">) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id, "notebook", state, cells.done],
    queryFn: async ({ signal }): Promise<Executed> =>
      (await transport(new Request(addressOfPart(id, "notebook"), { signal }), notebookPatience)).json(),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id, "log"],
    queryFn: async ({ signal }) =>
      (await transport(new Request(addressOfPart(id, "log"), { signal }), notebookPatience)).text(),
    retry: false,
  });

/** How the outputs of a job that has ended differ from those of the job before. */
export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id, "changes"],
    queryFn: async ({ signal }) => {
      const address = addressOf("/api/v1/rf/jobs/{id}/changes", { path: { id } });
      const response = await transport(new Request(address, { signal }), notebookPatience);
      return (await response.json()) as Comparison & { counts: Counts };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** A page of the files that a job wrote; counted from 1. */
export const jobFilesQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [...jobsKey, "one", id, "files", page],
    queryFn: ({ signal }): Promise<JobFilePage> =>
      answer(
        api.GET("/api/v1/rf/jobs/{id}/files", {
          params: { path: { id }, query: { pageNumber: page - 1, pageSize: filesPageSize } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Of which notebook the parameters are asked for: a project's is in the repository of its entry. */
export const parametersOf = (source: Source, repositoryId: string) =>
  parametersQuery(
    source.of === "session" ? "session" : "entry",
    source.of === "session" ? source.id : repositoryId,
    source.file,
  );
