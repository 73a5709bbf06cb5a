import type { Job } from "@/api/types";
import type { IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";
import { jobWordsMessages as messages } from "./jobWords.messages";

/** A state as a color and a sign. */
export const stateLooks: Record<Job["state"], { tone: Tone; icon: IconName }> = {
  QUEUED: { tone: "grey", icon: "more" },
  RUNNING: { tone: "blue", icon: "sync" },
  DONE: { tone: "green", icon: "check" },
  FAILED: { tone: "red", icon: "error" },
  CANCELED: { tone: "grey", icon: "close" },
};

/** Such as "12 of 30 cells"; undefined while that isn't known. */
export const cellsWords = ({ done, total }: Job["cells"]): string | undefined =>
  total > 0 ? messages.cells(done, total) : undefined;

/** When a job ended; while it hasn't, when it began, or else was asked for. */
export const timeOf = ({ endedAt, startedAt, askedAt }: Job): string => endedAt ?? startedAt ?? askedAt;
