import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { ProfileState } from "@/api/types";
import { fileSize } from "@/lib/measures";
import { sizesMessages as messages } from "./sizes.messages";

/** The sizes that the caller may choose, by engine, and how many wait for each. */
export const sizesQuery = queryOptions({
  queryKey: ["sessions", "profiles"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/sessions/profiles", { signal })),
});

type Size = Pick<ProfileState, "limits" | "gpus"> & Partial<Pick<ProfileState, "free" | "waiting">>;

/** What a session has, such as "16 GB of memory, 4 processors, 1 GPU"; "" if that isn't known. */
export function sizeOf({ memoryBytes, cpus, diskBytes }: Size["limits"], gpus = 0): string {
  return [
    memoryBytes && messages.memory(fileSize(memoryBytes)),
    cpus && messages.processors(cpus),
    diskBytes && messages.disk(fileSize(diskBytes)),
    gpus > 0 && messages.gpus(gpus),
  ]
    .filter(Boolean)
    .join(", ");
}

/** What a session of a size has, and whether it has to wait. */
export function sizeText({ limits, gpus, free, waiting = 0 }: Size): string {
  const has = sizeOf(limits, gpus);
  const waits = waiting > 0 ? messages.waiting(waiting) : free === 0 && messages.full;
  return [has && `${has}.`, waits].filter(Boolean).join(" ");
}
