import { count } from "@/lib/format";

/** What is said of the files of a task. */
export interface TaskWords {
  waiting: string;
  working: string;
  bar: string;
  kept: (reason: string) => string;
}

export const taskProgressMessages = {
  waiting: "Waiting to unpack the files",
  working: "Unpacking the files",
  bar: "Progress of unpacking",
  done: (files: number, bytes: string, total: string) => `${count(files, "file", "files")}, ${bytes} of ${total}`,
  cancel: "Cancel",
  lost: "It isn't known how far it is. It goes on, and this page asks again.",
  failed: "The files couldn't be used.",
  kept: (reason: string) => `${reason} Your uploads are still here.`,
  back: "Go back",
  gone: "The server doesn't know about it anymore. Look for the result in the catalog before you try again.",
} as const;
