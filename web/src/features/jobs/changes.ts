import { changesMessages as messages } from "./changes.messages";

/** How many cells of each kind a comparison has found; it counts others too. */
export type Counts = Partial<Record<string, number>>;

/** Such as "2 cells differ, 1 is the same within tolerance, 3 are the same." */
export function countsWords(counts: Counts): string {
  const found = (["differs", "varies", "missed", "close", "same"] as const).flatMap((kind) => {
    const cells = counts[kind] ?? 0;
    return cells > 0 ? [{ kind, cells }] : [];
  });
  const [first] = found;
  if (!first) return messages.nothing;
  if (first.kind === "same") return messages.allSame(first.cells);
  return messages.sentence(found.map(({ kind, cells }, at) => messages.part(cells, kind, at === 0)));
}
