import { count } from "@/lib/format";

export const descriptorFailureMessages = {
  faults: (faults: number) => `The descriptor has ${count(faults, "error", "errors")}.`,
  list: "What to correct",
  correct: "Correct the file, push it, then pull again.",
  notFetched: (file: string) => `Failed to fetch ${file}. Please check the URL.`,
  example: "Example descriptor",
  exampleLabel: "example",
} as const;
