import { count } from "@/lib/format";
import type { LeftOutReason } from "./chosenFiles";
import type { UploadContents } from "./shapes";

/** Why something isn't uploaded, or isn't used of what was. */
type Reason = LeftOutReason | UploadContents["leftOut"][number]["reason"];

const reasons: Record<Reason, string> = {
  empty: "empty folder",
  unreadable: "couldn't be read",
  twice: "another file with this path is in the list",
  link: "a link to another file",
  special: "not a file",
  name: "other machines can't have this name",
};

export const dropMessages = {
  label: "Files to upload",
  drop: "Drop files or a folder here",
  or: "or",
  files: "Choose files",
  folder: "Choose a folder",
  reading: "Reading the folder",
  leftOut: (files: number) => `Left out: ${count(files, "item", "items")}`,
  reasonOf: (reason: Reason) => reasons[reason],
} as const;
