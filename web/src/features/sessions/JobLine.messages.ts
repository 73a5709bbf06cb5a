import { shortDuration } from "@/lib/measures";

export const jobLineMessages = {
  running: (name: string, cell: number, of: number) => `Running ${name} to the end: cell ${cell} of ${of}`,
  starting: (name: string) => `Running ${name} to the end`,
  waits: (name: string, reason: string) => `${name} is waiting. ${reason}`,
  took: (seconds: number) => shortDuration(seconds),
  expected: (seconds: number) => `last time ${shortDuration(seconds)}`,
  done: (name: string, seconds: number) => `${name} ran to the end in ${shortDuration(seconds)}.`,
  canceled: (name: string, done: number, of: number) => `${name} was stopped after ${done} of ${of} cells.`,
  failed: (name: string, reason: string) => `${name}: ${reason}`,
  beside: (file: string) => `Its outputs are in ${file}, because the notebook was changed meanwhile.`,
  stop: "Stop running",
  stopOf: (name: string) => `Stop running ${name}`,
  dismiss: "OK",
  dismissOf: (name: string) => `Dismiss what is said of ${name}`,
  tell: "Tell me when it's done",
  cannotEnd: "That didn't work",
} as const;
