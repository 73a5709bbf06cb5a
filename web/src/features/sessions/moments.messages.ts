import { count } from "@/lib/format";

/** When something will happen, in words that follow a verb. */
export const momentMessages = {
  soon: "within a minute",
  within: (time: string) => `in ${time}`,
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  hours: (hours: number) => count(hours, "hour", "hours"),
  day: (day: string) => `on ${day}`,
} as const;
