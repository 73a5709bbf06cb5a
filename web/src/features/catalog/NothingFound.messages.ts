import { count } from "@/lib/format";

const anyOf = (values: readonly string[]) => (values.length === 0 ? "any" : values.join(", "));

export const nothingFoundMessages = {
  title: "No resources found with the following criteria",
  all: "Show the whole catalog",
  text: "Text",
  tags: "Tags",
  types: "Types",
  runs: "Runs",
  ofAnyType: (results: number) => `Any type: ${count(results, "result", "results")}`,
  withoutTag: (tag: string, results: number) => `Without the tag “${tag}”: ${count(results, "result", "results")}`,
  anyOf,
} as const;
