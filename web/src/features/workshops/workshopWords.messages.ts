import { count, number } from "@/lib/format";
import type { WorkshopState } from "./types";

export const workshopWordsMessages = {
  states: {
    PLANNED: "Planned",
    WARMING: "Getting ready",
    OPEN: "Open",
    ENDED: "Ended",
  } satisfies Record<WorkshopState, string>,
  ending: "Ending",
  inZone: (span: string, zone: string) => `${span} (${zone})`,
  forYou: (span: string) => `By your clock: ${span}`,
  seats: (taken: number, total: number) => `${number(taken)} of ${count(total, "seat", "seats")} taken`,
} as const;
