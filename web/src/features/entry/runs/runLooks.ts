import type { Run } from "@/api/types";
import { comparedOf, outcomeWords, verdictLooks } from "@/features/catalog/runWords";
import type { IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";
import { runsMessages as messages } from "./Runs.messages";

/** A run in a color and a sign. */
export function looksOf({ state, verdict }: Run): { tone: Tone; icon: IconName } {
  if (verdict) return verdictLooks[verdict];
  return state === "STOPPED" ? { tone: "grey", icon: "more" } : { tone: "blue", icon: "sync" };
}

/** The same for where its reason is told already. */
export function shortWordsOf({ reason, ...run }: Run): string {
  return wordsOf(run);
}

/** What a run came to, or how far it is. */
export function wordsOf({ state, verdict, cells, ...run }: Run): string {
  if (!verdict) return messages.states[state];
  return outcomeWords({ ...run, verdict, cells: { ...cells, compared: comparedOf(cells) } });
}

/** Which cells ran, and which never did. */
export function ranWords({ total, ran, stopped }: Run["cells"]): string {
  return stopped === undefined ? messages.ran(ran, total) : messages.ranUntil(ran, total, stopped);
}

/** How long a run took, or that it didn't come to its end. */
export function tookWords({ verdict, needs }: Pick<Run, "verdict" | "needs">, time: string): string {
  if (verdict === "NEEDS" && needs === "time") return messages.stoppedAfter(time);
  return verdict === "FAILED" || verdict === "NEEDS" ? messages.endedAfter(time) : time;
}

/** When a run ended; while it hasn't, when it began. */
export const timeOf = ({ endedAt, startedAt, queuedAt }: Run): string => endedAt ?? startedAt ?? queuedAt;
