import { count } from "@/lib/format";

export const secretsDialogMessages = {
  title: "Is there a secret in these files?",
  means: "Everyone who sees the entry can read them.",
  more: (files: number) => `and ${count(files, "more file", "more files")}`,
  cancel: "Cancel",
  leave: "Leave them out",
  all: "Publish all the same",
} as const;
