import { count } from "@/lib/format";

export const startBlockMessages = {
  cannotStart: "Sessions cannot be started here.",
  full: (limit: number) => `You already have ${count(limit, "session", "sessions")}, the maximum at a time.`,
} as const;
