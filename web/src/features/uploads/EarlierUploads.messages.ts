import { count } from "@/lib/format";

export const earlierUploadsMessages = {
  quota: (used: string, all: string, file: string) => `${used} of ${all} used. One file can have up to ${file}.`,
  title: "Unfinished uploads from earlier",
  how: "Drop the same files again to go on. Each is kept until the day shown.",
  packed: "Small files, packed",
  about: (received: string, size: string, day: string) => `${received} of ${size}, kept until ${day}`,
  discard: "Discard",
  discardOf: (name: string) => `Discard ${name}`,
  discardAll: (uploads: number) => `Discard ${count(uploads, "upload", "uploads")}`,
  more: (uploads: number) => `and ${count(uploads, "more", "more")}`,
  notDiscarded: "The upload couldn't be discarded",
} as const;
