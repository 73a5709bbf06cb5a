import { count } from "@/lib/format";

export const jobWordsMessages = {
  states: { QUEUED: "Waiting", RUNNING: "Running", DONE: "Done", FAILED: "Failed", CANCELED: "Stopped" },
  cells: (done: number, total: number) => `${done} of ${count(total, "cell", "cells")}`,
} as const;
