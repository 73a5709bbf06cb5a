import { count } from "@/lib/format";

export const tagSheetMessages = {
  title: "Tags",
  close: "Close",
  show: (results: number) => `Show ${count(results, "result", "results")}`,
} as const;
