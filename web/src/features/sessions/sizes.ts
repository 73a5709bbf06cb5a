import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { EngineProfiles, ProfileState } from "@/api/types";
import { needsText, resourceTexts } from "@/lib/resources";
import { sizesMessages as messages } from "./sizes.messages";

/**
 * The sizes that the caller may choose, by engine, and how many wait for each: with which of them has what an entry or
 * project asks for.
 */
export const sizesQuery = ({ id, of }: { id: string; of: "entry" | "project" }) =>
  queryOptions({
    queryKey: ["sessions", "profiles", of, id],
    queryFn: ({ signal }) => {
      const query = of === "entry" ? { resourceId: id } : { projectId: id };
      return answer(api.GET("/api/v1/rf/sessions/profiles", { params: { query }, signal }));
    },
  });

type Size = Pick<ProfileState, "limits" | "gpus"> & Partial<Pick<ProfileState, "free" | "waiting">>;

/** What a session has, such as "16 GiB of memory, 4 processors, 1 GPU"; "" if that isn't known. */
export const sizeOf = (limits: Size["limits"], gpus?: number): string => resourceTexts({ ...limits, gpus }).join(", ");

/** What a session of a size has, and whether it has to wait. */
export function sizeText({ limits, gpus, free, waiting = 0 }: Size): string {
  const has = sizeOf(limits, gpus);
  const waits = waiting > 0 ? messages.waiting(waiting) : free === 0 && messages.full;
  return [has && `${has}.`, waits].filter(Boolean).join(" ");
}

/** Why a size is chosen, or what it lacks, in a line; undefined if nothing is asked for. */
export function sizeReason(offered: EngineProfiles | undefined, size: ProfileState | undefined): string | undefined {
  if (!offered?.needs) return undefined;
  const needs = needsText(offered.needs);
  if (size?.lacks) return messages.lacks(needs, size.label);
  if (!offered.fits) return offered.profiles.length > 0 ? messages.noneFits(needs) : messages.tooSmall(needs);
  return size && size.name === offered.chosen ? messages.fits(needs, size.label) : messages.asks(needs);
}
