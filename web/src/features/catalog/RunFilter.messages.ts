import type { RunOutcome } from "@/api/types";

export const runFilterMessages: { label: string; outcomes: Record<RunOutcome, string> } = {
  label: "Runs",
  outcomes: { clean: "Ran clean", differs: "Outputs differ", fails: "Failed", never: "Not tried yet" },
};
