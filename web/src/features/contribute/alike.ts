import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Resource, ResourceType } from "@/api/types";

/** Names of fewer letters say little about an entry. */
const leastLetters = 4;
const mostShown = 5;

/** The letters and digits of a name, in lower case and without marks: names of the same entry often differ in the rest. */
const lettersOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** The entries among those found, other than `id`, that have the same name but for case, marks, blanks and punctuation. */
export function alikeAmong(found: readonly Resource[], name: string, id?: string): Resource[] {
  const letters = lettersOf(name);
  return found.filter((entry) => entry.id !== id && lettersOf(entry.name) === letters).slice(0, mostShown);
}

/** The entries of a type, among those that the caller may see, that a new one of this name may repeat. */
export function alikeQuery(type: ResourceType, name: string, id?: string) {
  const query = { type, nameSearch: name.replace(/["-]/g, " "), sort: "relevance", pageSize: 50 } as const;
  return queryOptions({
    queryKey: ["alike", type, name],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public", { params: { query }, signal })),
    select: ({ content }) => alikeAmong(content, name, id),
    enabled: lettersOf(name).length >= leastLetters,
  });
}
