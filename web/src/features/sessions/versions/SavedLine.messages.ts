import { count } from "@/lib/format";

export const savedLineMessages = {
  saved: (ago: string) => `Saved ${ago}`,
  notYet: "Not saved yet",
  versions: (versions: number) => count(versions, "version", "versions"),
  open: (session: string) => `Saved versions of ${session}`,
} as const;
