import { count, number } from "@/lib/format";

export const sizesMessages = {
  legend: "Size",
  memory: (size: string) => `${size} of memory`,
  processors: (cpus: number) => (cpus === 1 ? "1 processor" : `${number(cpus)} processors`),
  disk: (size: string) => `${size} of disk`,
  gpus: (gpus: number) => count(gpus, "GPU", "GPUs"),
  waiting: (sessions: number) => `${count(sessions, "session is", "sessions are")} waiting for it.`,
  chosen: (label: string, has: string) => (has === "" ? label : `${label} (${has})`),
  full: "No place is free right now, so it has to wait.",
} as const;
