import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Forecast } from "@/api/types";

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
  const [usual, slow] = [spoken(p50), spoken(p90)];
  return `Usually ready in ${usual}${usual === slow ? "" : `, nine times of ten in ${slow}`}.`;
}

// Rounded up: nobody minds that it is sooner.
function spoken(seconds: number): string {
  const [count, unit] =
    seconds > 90 ? [Math.ceil(seconds / 60), "minute"] : [Math.max(1, Math.ceil(seconds)), "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
