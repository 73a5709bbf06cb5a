import { placeholder } from "./list/placeholder.messages";

export const catalogPageMessages = {
  search: "Search the catalog",
  placeholder,
  failure: "The catalog couldn't be loaded.",
  fetching: "Error fetching resources",
  fetchingDetail: "An error occurred while fetching resources.",
} as const;
