import type { ResourceType } from "@/api/types";
import words from "./kindDescriptions.json";

/** What entries of each kind are. The server's documents use the same words. */
export const kindDescriptions: Record<ResourceType, string> = words;
