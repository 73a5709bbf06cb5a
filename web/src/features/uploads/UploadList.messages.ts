import { count } from "@/lib/format";
import type { UploadState } from "./queue";

const states: Record<UploadState, string> = {
  queued: "Waiting for its turn",
  uploading: "Uploading",
  away: "No connection. It goes on by itself.",
  paused: "Paused",
  failed: "Failed",
  done: "Uploaded",
};

export const uploadListMessages = {
  list: "Uploads",
  smallFiles: (files: number) => count(files, "small file, packed", "small files, packed"),
  stateOf: (state: UploadState) => states[state],
  received: (received: string, size: string) => `${received} of ${size}`,
  progressOf: (name: string) => `Progress of ${name}`,
  progress: "Progress of all uploads",
  /** What is said when it changes. */
  going: (files: number) => `Uploading ${count(files, "file", "files")}`,
  done: (files: number) => `${count(files, "file is", "files are")} uploaded`,
  paused: "Paused",
  failed: (uploads: number) => `${count(uploads, "upload", "uploads")} failed`,
  unreadable: "The file was changed, moved or deleted after you chose it. Remove it here and choose it again.",
  pause: "Pause",
  resume: "Resume",
  again: "Try again",
  remove: "Remove",
  pauseOf: (name: string) => `Pause ${name}`,
  resumeOf: (name: string) => `Resume ${name}`,
  againOf: (name: string) => `Try ${name} again`,
  removeOf: (name: string) => `Remove ${name}`,
  pauseAll: "Pause all",
  resumeAll: "Resume all",
  more: (uploads: number) => `Show ${count(uploads, "more upload", "more uploads")}`,
  files: (files: number, size: string) => `${count(files, "file", "files")}, ${size}`,
  filesMore: (files: number) => `and ${count(files, "more file", "more files")}`,
} as const;
