import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { Resource } from "@/api/types";
import { cardLength } from "@/lib/constants";
import { plainText } from "@/lib/plainText";

/** The caller's starred entries, newest star first. */
export function starredQuery(email: string) {
  return queryOptions({
    queryKey: entryKeys.starred(email),
    queryFn: async ({ signal }): Promise<Resource[]> => {
      const path = { email };
      const list = await answer(api.GET("/api/v1/rf/resources/{email}/stars", { params: { path }, signal }));
      return list.map((each) => ({ ...each, description: plainText(each.description, cardLength) }));
    },
  });
}
