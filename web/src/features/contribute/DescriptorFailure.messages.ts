import { count } from "@/lib/format";

export const descriptorFailureMessages = {
  faults: (faults: number) => `The descriptor needs mending in ${count(faults, "place", "places")}.`,
  list: "What to mend",
  mend: "Mend the file, push it, and pull it again.",
  notFetched: (file: string) => `Failed to fetch ${file}. Please check the URL.`,
  example: "A descriptor that would do",
  exampleLabel: "example",
} as const;
