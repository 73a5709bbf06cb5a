import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Member } from "@/api/types";
import { projectQuery } from "./queries";

/** The members of a project, for its owner, who isn't among them, and for its members. */
export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: [...projectQuery(id).queryKey, "members"],
    queryFn: ({ signal }): Promise<Member[]> =>
      answer(api.GET("/api/v1/rf/projects/{id}/members", { params: { path: { id } }, signal })),
  });
