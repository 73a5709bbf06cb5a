import type { DatasetTotal } from "@/api/types";
import { count } from "@/lib/format";
import { fileSize } from "@/lib/measures";

export const datasetPreviewMessages = {
  title: "Files",
  elsewhere: (host: string) => `The data is hosted at ${host}, so there's no preview here.`,
  /** "Download all: 12 files, 5.4 MiB" */
  allFiles: (total?: DatasetTotal) =>
    `Download all${total ? `: ${total.more ? "at least " : ""}${count(total.files, "file", "files")}, ${fileSize(total.size)}` : ""}`,
  signIn: "Sign in to download files.",
  failure: "The files couldn't be loaded.",
  missing: (file: string) => `There's no file ${file} in this list.`,
  loading: "Loading the files",
} as const;
