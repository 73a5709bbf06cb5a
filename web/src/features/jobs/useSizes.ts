import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "@/api/config";
import type { JobWish } from "@/api/types";
import { sizeReason, sizesQuery } from "@/features/sessions/sizes";
import type { Origin } from "./useSource";

/** Where and in which size a notebook may run, and what is chosen. Nothing is asked for where there is no choice. */
export function useSizes({ sized, engine: fixed }: Origin) {
  const { kinds } = useConfig().sessions;
  const [picked, pick] = useState("");
  const [wanted, want] = useState("");
  const { data: all } = useQuery(sizesQuery(sized));
  const usable = kinds.filter(({ available, name }) => available && (fixed === undefined || name === fixed));
  const fitting = usable.find(({ name }) => all?.some((one) => one.engine === name && one.fits));
  const engine = (usable.find(({ name }) => name === picked) ?? fitting ?? usable[0])?.name ?? "";
  const offered = all?.find((one) => one.engine === engine);
  const profiles = offered?.profiles ?? [];
  const size = profiles.find(({ name }) => name === wanted) ?? profiles.find(({ name }) => name === offered?.chosen);
  const wish: JobWish = {
    ...(usable.length > 1 && { engine }),
    ...(profiles.length > 1 && size && { profile: size.name }),
  };
  return {
    ...{ engines: usable.length > 1 ? usable : [], engine, pick },
    ...{ profiles: profiles.length > 1 ? profiles : [], size, want },
    /** Why that size is chosen, or what it lacks. */
    reason: sizeReason(offered, size),
    notes: Object.fromEntries((all ?? []).map((one) => [one.engine, one.runNote])),
    wish,
  };
}

export type Sizes = ReturnType<typeof useSizes>;
