import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Forecast } from "@/api/types";
import { duration, fileSize } from "@/lib/measures";
import type { RunTarget } from "@/ui/run";
import { forecastMessages as messages } from "./forecast.messages";

/** How long launches on an engine usually take; for those who are signed in. */
export const forecastQuery = (engine: string) =>
  queryOptions({
    queryKey: ["forecast", engine],
    queryFn: ({ signal }): Promise<Forecast> =>
      answer(api.GET("/api/v1/rf/sessions/forecast", { params: { query: { engine } }, signal })),
    // It is a help, not an answer that anybody waits for.
    retry: false,
  });

/** The forecast in a sentence; undefined while nothing is known. */
export function forecastText({ launches, total: { p50, p90 } }: Forecast): string | undefined {
  if (launches === 0) return undefined;
  const [usual, slow] = [inWords(p50), inWords(p90)];
  return usual === slow ? messages.usual(usual) : messages.usualAndSlow(usual, slow);
}

/** What the catalog's last run of something took, or when it was cut off, in sentences, and whether a session has as much; undefined if it never ran. */
export function tookText(took: RunTarget["took"], memoryBytes: number | undefined): string | undefined {
  if (!took || took.seconds === 0) return undefined;
  const { seconds, peakMemoryBytes: peak, verdict, needs } = took;
  const time = duration(seconds);
  const cutOff = verdict === "FAILED" || verdict === "NEEDS";
  if (!peak) return cutOff ? messages.stopped(time, needs) : messages.took(time);
  const text = cutOff ? messages.stoppedWith(time, needs, fileSize(peak)) : messages.tookWith(time, fileSize(peak));
  return memoryBytes !== undefined && peak > memoryBytes
    ? `${text} ${messages.needsMore(fileSize(memoryBytes))}`
    : text;
}

// Rounded up: finishing earlier bothers nobody.
function inWords(seconds: number): string {
  return seconds > 90 ? messages.minutes(Math.ceil(seconds / 60)) : messages.seconds(Math.max(1, Math.ceil(seconds)));
}
