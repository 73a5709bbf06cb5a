import { count } from "@/lib/format";

export const forecastMessages = {
  usual: (time: string) => `Usually ready in ${time}.`,
  usualAndSlow: (time: string, slow: string) => `Usually ready in ${time}, nine times out of ten within ${slow}.`,
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  seconds: (seconds: number) => count(seconds, "second", "seconds"),
} as const;
