import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { Resource } from "@/api/types";
import { cardLength } from "@/lib/constants";
import { plainText } from "@/lib/plainText";
import { partPickerMessages } from "./PartPicker.messages";

/** What a project is made of. */
export type PartType = "REPOSITORY" | "DATASET";

/** Entries in groups; a group without a title has the results of a search. */
export interface PartGroup {
  title?: string;
  parts: Resource[];
}

/** How many of the newest entries are proposed. */
const newest = 20;

/** Entries of a type to choose from: those matching the text, or without one the caller's starred and the newest ones. */
export function partsQuery(type: PartType, text: string, email: string) {
  return queryOptions({
    queryKey: entryKeys.parts(type, text, email),
    queryFn: async ({ signal }): Promise<PartGroup[]> => {
      if (text !== "") {
        const query = { type, name: text, view: "card" } as const;
        return [{ parts: await answer(api.GET("/api/v1/rf/resources/search", { params: { query }, signal })) }];
      }
      const query = { type, sort: "newest", pageNumber: 0, pageSize: newest, view: "card" } as const;
      const [page, stars] = await Promise.all([
        answer(api.GET("/api/v1/rf/resources", { params: { query }, signal })),
        answer(api.GET("/api/v1/rf/resources/{email}/stars", { params: { path: { email } }, signal })),
      ]);
      const starred = stars.filter((each) => each.type === type);
      const others = page.content.filter(({ id }) => starred.every((each) => each.id !== id));
      return [
        { title: partPickerMessages.starred, parts: starred.map(short) },
        { title: partPickerMessages.newest, parts: others },
      ].filter(({ parts }) => parts.length > 0);
    },
    // A failed search is an empty list, and says so immediately.
    retry: false,
  });
}

/** One entry that an address names. A Problem of status 404 when it is absent or hidden from the caller. */
export function partQuery(id: string) {
  return queryOptions({
    queryKey: entryKeys.part(id),
    queryFn: async ({ signal }) =>
      short(await answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id } }, signal }))),
  });
}

const short = (entry: Resource): Resource => ({ ...entry, description: plainText(entry.description, cardLength) });
