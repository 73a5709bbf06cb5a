import { count } from "@/lib/format";

export const startBlockMessages = {
  cannotStart: "Sessions cannot be started here.",
  full: (limit: number) => `You have ${count(limit, "session", "sessions")}, as many as an account may have at a time.`,
} as const;
