import type { DatasetTotal } from "@/api/types";
import { count } from "@/lib/format";
import { fileSize } from "@/lib/measures";

export const measuredFactsMessages = {
  language: "Language",
  size: "Size",
  pushed: "Last commit",
  files: "Files",
  kept: (version: number) => `Kept on this server, version ${version}`,
  total: ({ files, size, more }: DatasetTotal) =>
    `${more ? "At least " : ""}${fileSize(size)} in ${count(files, "file", "files")}`,
} as const;
