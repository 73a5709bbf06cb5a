import type { Session } from "@/api/types";
import { number } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { usageMessages as messages } from "./usage.messages";

/** What a session uses, each "512 MiB of 2 GiB", without a limit "512 MiB". */
export function usageParts(
  { memoryBytes = 0, cpus = 0, diskBytes = 0 }: NonNullable<Session["usage"]>,
  limits: Session["limits"],
): { memory: string; cpus: string; disk: string } {
  const part = (used: string, limit: string | false) => (limit ? messages.usedOf(used, limit) : used);
  const size = (bytes = 0) => bytes > 0 && fileSize(bytes);
  return {
    memory: part(fileSize(memoryBytes), size(limits.memoryBytes)),
    cpus: part(number(Math.round(cpus * 10) / 10), limits.cpus !== undefined && number(limits.cpus)),
    disk: part(fileSize(diskBytes), size(limits.diskBytes)),
  };
}

/** A session that keeps half of a processor busy computes. */
const busyFrom = 0.5;

/** Whether it computes, and its memory, in a line for its owner. */
export function usageText(usage: NonNullable<Session["usage"]>, limits: Session["limits"]): string {
  const { memory, cpus } = usageParts(usage, limits);
  return (usage.cpus ?? 0) >= busyFrom ? messages.busy(cpus, memory) : messages.quiet(memory);
}
