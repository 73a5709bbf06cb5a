import { count } from "@/lib/format";

export const fileTreeMessages = {
  label: "Files of the session",
  filter: "Filter by name",
  all: "All files",
  matching: (files: number) => (files === 0 ? "No file has this in its name." : count(files, "match", "matches")),
  size: (files: number, size: string) => `${count(files, "file", "files")}, ${size}`,
  some: (chosen: number, files: number, size: string) => `${chosen} of ${count(files, "file", "files")}, ${size}`,
  open: (folder: string) => `Open ${folder}`,
  more: (items: number) => `Show ${count(items, "more item", "more items")}`,
} as const;
