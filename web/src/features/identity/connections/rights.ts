import type { Connection } from "@/api/types";
import { rightMessages } from "./rights.messages";

type Right = Connection["granted"][number];

/** What a connection lets this server do, in words, once each. Rights that this page doesn't know are unknown. */
export function rightWords(granted: readonly Right[]): string[] {
  return [...new Set(granted.map((right) => rightMessages[right] ?? rightMessages.unknown))];
}

/** Whether a connection may do more than read. */
export function mayChange(granted: readonly Right[]): boolean {
  return granted.includes("write") || granted.includes("all");
}
