import { count } from "@/lib/format";

/** A run out of time is stopped; an exception ends one on its own. */
const ended = (needs: string | undefined) => (needs === "time" ? "was stopped" : "ended early,");

export const forecastMessages = {
  usual: (time: string) => `Usually ready in ${time}.`,
  usualAndSlow: (time: string, slow: string) => `Usually ready in ${time}, 90% within ${slow}.`,
  took: (time: string) => `When the catalog last ran it, its cells took ${time}.`,
  tookWith: (time: string, memory: string) =>
    `When the catalog last ran it, its cells took ${time} and at most ${memory} of memory.`,
  stopped: (time: string, needs?: string) => `When the catalog last ran it, it ${ended(needs)} after ${time}.`,
  stoppedWith: (time: string, needs: string | undefined, memory: string) =>
    `When the catalog last ran it, it ${ended(needs)} after ${time}, having used at most ${memory} of memory.`,
  needsMore: (most: string) => `That is more than a session here has (${most}), so it may fail.`,
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  seconds: (seconds: number) => count(seconds, "second", "seconds"),
} as const;
