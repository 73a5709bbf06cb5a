import { sortMessages } from "./sorts.messages";

/** The orders in which the catalog can be shown, as people read them. */
export const sorts = sortMessages;

export type Sort = keyof typeof sorts;

export function isSort(text: string): text is Sort {
  return Object.hasOwn(sorts, text);
}

/** The default order: without a text there is no relevance. */
export function sortInForce({ sort, text }: { sort?: Sort | undefined; text: string }): Sort {
  if (text.trim() === "") return sort === undefined || sort === "relevance" ? "name" : sort;
  return sort ?? "relevance";
}
