import type { Run } from "@/api/types";
import { count, number } from "@/lib/format";

const needed: Record<NonNullable<Run["needs"]>, string> = {
  internet: "the internet",
  package: "a package that is missing",
  memory: "more memory",
  gpu: "a GPU",
  time: "more time",
  input: "keyboard input",
  kernel: "another kernel",
};

const differ = (differs: number, compared: number) =>
  `${number(differs)} of ${count(compared, "output", "outputs")} ${differs === 1 ? "differs" : "differ"}`;

/** What is said of runs, on one line without a period at its end. */
export const runBadgeMessages = {
  clean: "Ran clean",
  cleanAgo: (ago: string) => `Ran clean ${ago}`,
  cleanIn: (ago: string, duration: string) => `Ran clean ${ago} in ${duration}`,
  differ,
  differInFormat: (differs: number, compared: number) => `${differ(differs, compared)} in formatting`,
  failed: "Failed",
  ran: (ran: number, total: number) => `${number(ran)} of ${count(total, "cell", "cells")} ran`,
  /** A sentence after a colon begins in lower case. */
  because: (what: string, reason: string) =>
    `${what}: ${reason.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase())}`,
  needs: (need: keyof typeof needed) => `Needs ${needed[need]}`,
  needsMore: "Can't be run here",
  nothing: "Ran (no saved outputs)",
  nothingToRun: "Nothing to run",
  old: (what: string, ago: string) => `${what} (${ago})`,
  notAll: (what: string, left: number, total: number) =>
    `${what}; ${number(left)} of ${count(total, "cell", "cells")} didn't run`,
  moved: (what: string) => `${what}; the repository has changed since`,
  never: "Not tried yet",
  nowhere: "Not tried on this server",
} as const;
