import type { RunOutcome } from "@/api/types";

/** How last runs came out, in the order in which the page shows it. */
export const runOutcomes: RunOutcome[] = ["clean", "differs", "fails", "needs", "nothing", "never"];
