import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Project } from "@/api/types";

/** The prefix of all lists of projects. */
export const projectsKey = ["projects"];

/** The projects of the caller, newest first. */
export const projectsQuery = queryOptions({
  queryKey: [...projectsKey, "mine"],
  queryFn: ({ signal }): Promise<Project[]> => answer(api.GET("/api/v1/rf/projects", { signal })),
});

/** The projects with a resource that the caller may see: their own, and published ones. */
export const associatedProjectsQuery = (resourceId: string) =>
  queryOptions({
    queryKey: [...projectsKey, "of", resourceId],
    queryFn: ({ signal }): Promise<Project[]> =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/projects", { params: { path: { id: resourceId } }, signal })),
  });

/** One project: the caller's own, or a published one. A Problem of status 404 for any other. */
export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: [...projectsKey, "one", id],
    queryFn: ({ signal }): Promise<Project> =>
      answer(api.GET("/api/v1/rf/projects/public/{id}", { params: { path: { id } }, signal })),
  });
