import type { LastRun, Run } from "@/api/types";
import { ago } from "@/lib/format";
import { duration } from "@/lib/measures";
import type { IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";
import { runBadgeMessages as messages } from "./RunBadge.messages";

type Verdict = LastRun["verdict"];

/** A verdict in a color and a sign. */
export const verdictLooks: Record<Verdict, { tone: Tone; icon: IconName }> = {
  CLEAN: { tone: "green", icon: "check" },
  DIFFERS: { tone: "purple", icon: "notEqual" },
  FAILED: { tone: "red", icon: "close" },
  NEEDS: { tone: "blue", icon: "info" },
  NOTHING_TO_COMPARE: { tone: "grey", icon: "minus" },
};

/** What nobody has tried: no verdict, and nothing to press. */
export const notTried: { tone: Tone; icon: IconName } = { tone: "grey", icon: "circle" };

/** The age in milliseconds from which a run says little about today. */
const old = 90 * 86_400_000;

/** Whether a run says little about today: it is older than 90 days, or the repository has changed since. */
export function isStale({ at, moved }: Pick<LastRun, "at" | "moved">, now = Date.now()): boolean {
  return moved === true || now - new Date(at).getTime() > old;
}

/** What an entry's last run came to, and no more than is known now. */
export function runWords(run: LastRun, now = Date.now()): string {
  const stale = isStale(run, now);
  const when = ago(run.at, now);
  let words = outcomeWords(run);
  if (run.verdict === "CLEAN") words = stale ? messages.cleanAgo(when) : messages.cleanIn(when, duration(run.seconds));
  else if (isStale({ at: run.at }, now)) words = messages.old(words, when);
  const { ran, total } = run.cells;
  if (run.verdict === "CLEAN" && ran < total) words = messages.notAll(words, total - ran, total);
  return run.moved ? messages.moved(words) : words;
}

/** What a run came to, without its time. */
export function outcomeWords(run: Pick<LastRun, "verdict" | "needs" | "reason" | "cells">): string {
  const { verdict, needs, reason = "", cells } = run;
  switch (verdict) {
    case "CLEAN":
      return messages.clean;
    case "DIFFERS":
      return cells.format === cells.differs
        ? messages.differInFormat(cells.differs, cells.compared)
        : messages.differ(cells.differs, cells.compared);
    case "NEEDS":
      return needs ? messages.needs(needs) : messages.needsMore;
    case "NOTHING_TO_COMPARE":
      return cells.ran > 0 ? messages.nothing : messages.nothingToRun;
  }
  const why = reason.replace(/\.$/, "");
  if (cells.ran === 0) return why || messages.failed;
  const ran = messages.ran(cells.ran, cells.total);
  return why === "" ? ran : messages.because(ran, why);
}

/** How many cells of a run were compared. */
export function comparedOf({ same, close, differs, varies }: Run["cells"]): number {
  return same + close + differs + varies;
}
