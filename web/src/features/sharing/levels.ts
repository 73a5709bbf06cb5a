import type { SharedSession, ShareLevel } from "@/api/types";

/** What others may do with a session; each one includes those before it. */
export const allLevels: readonly ShareLevel[] = ["see", "copy", "edit"];

const order: readonly SharedSession["can"][] = [...allLevels, "owner"];

/** The levels that include more than this one. */
export const levelsAbove = (can: SharedSession["can"]): ShareLevel[] =>
  allLevels.filter((level) => order.indexOf(level) > order.indexOf(can));
