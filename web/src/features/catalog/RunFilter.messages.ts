import type { RunOutcome } from "@/api/types";

const outcomes: Record<RunOutcome, string> = {
  clean: "ran clean",
  differs: "outputs differ",
  fails: "failed",
  needs: "can't be run here",
  nothing: "no saved outputs",
  never: "not tried yet",
};

export const runFilterMessages = {
  lead: "Last run:",
  label: "Last run",
  any: "any",
  several: (count: number) => `${count} outcomes`,
  counted: (outcome: string, count: string) => `${outcome} (${count})`,
  outcomes,
} as const;
