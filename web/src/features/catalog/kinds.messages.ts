import type { ResourceType } from "@/api/types";
import type { Tone } from "@/ui/tone";
import words from "./kinds.json";

/** The words for each kind, and its color. The server's documents and covers have the same. */
export const kindMessages = words as Record<ResourceType | "OTHER", { label: string; plural: string; tone: Tone }>;
