import type { Descriptor } from "@/api/types";

/** What each privacy means; its keys are the valid ones. */
export const privacyText: Record<Descriptor["privacy"], string> = {
  PUBLIC: "Everybody sees the entry.",
  PRIVATE: "Only its authors see the entry.",
};
