import type { Connection } from "@/api/types";
import { archiveRightMessages, rightMessages } from "./rights.messages";

type Right = Connection["granted"][number];

/** Whether a host is an archive, where this server deposits for people, and not a code host, where it only reads. */
export const isArchive = (kind: string): boolean => kind === "zenodo" || kind === "inveniordm";

/** What a connection lets this server do, in words, once each. Rights that this page doesn't know are unknown. */
export function rightWords(granted: readonly Right[], kind: string): string[] {
  const words: Record<Right, string> = isArchive(kind) ? { ...rightMessages, ...archiveRightMessages } : rightMessages;
  return [...new Set(granted.map((right) => words[right] ?? words.unknown))];
}

/** Whether a connection may do more than read. */
export function mayChange(granted: readonly Right[]): boolean {
  return granted.includes("write") || granted.includes("all");
}
