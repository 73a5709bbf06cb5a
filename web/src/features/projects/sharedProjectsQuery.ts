import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Project } from "@/api/types";
import { projectsKey } from "./queries";

/** The projects of others that are shared with the caller or offered to them, newest first. */
export const sharedProjectsQuery = queryOptions({
  queryKey: [...projectsKey, "shared"],
  queryFn: ({ signal }): Promise<Project[]> => answer(api.GET("/api/v1/rf/projects/shared", { signal })),
});
