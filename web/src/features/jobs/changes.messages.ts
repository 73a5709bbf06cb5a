import { count, number } from "@/lib/format";

const verbs = {
  differs: ["differs", "differ"],
  varies: ["differs from run to run", "differ from run to run"],
  missed: ["wasn't run", "weren't run"],
  close: ["is the same within tolerance", "are the same within tolerance"],
  same: ["is the same", "are the same"],
} as const;

export const changesMessages = {
  nothing: "No cell printed anything that could be compared.",
  allSame: (cells: number) =>
    cells === 1 ? "The output of its cell is the same." : `The outputs of all ${cells} cells are the same.`,
  part: (cells: number, kind: keyof typeof verbs, first: boolean) =>
    `${first ? count(cells, "cell", "cells") : number(cells)} ${verbs[kind][cells === 1 ? 0 : 1]}`,
  sentence: (parts: string[]) => `${parts.join(", ")}.`,
} as const;
