import type { ResourceType } from "@/api/types";
import words from "./kinds.json";

/** The server's documents use the same words. */
export const kindMessages: Record<ResourceType | "OTHER", { label: string; plural: string }> = words;
