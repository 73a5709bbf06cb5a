import { sortMessages } from "./sorts.messages";

/** The sort orders of the catalog with their labels. */
export const sorts = sortMessages;

export type Sort = keyof typeof sorts;

export function isSort(text: string): text is Sort {
  return Object.hasOwn(sorts, text);
}

/** The order of the results: relevance needs a text, and without one the most used entries come first. */
export function sortInForce({ sort, text }: { sort?: Sort | undefined; text: string }): Sort {
  if (text.trim() === "") return sort === undefined || sort === "relevance" ? "used" : sort;
  return sort ?? "relevance";
}
