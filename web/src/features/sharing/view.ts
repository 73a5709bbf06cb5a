import type { LookCell, LookedAt, SessionView } from "@/api/types";

/** What differs from the view before; see Change in internal/sessions/viewing. */
export interface ViewChange {
  number: number;
  fields: Partial<SessionView>;
  notebook?: { fields: Partial<LookedAt>; count: number; cells: Record<string, LookCell> };
}

/**
 * The view after a change; undefined if the change doesn't follow that view. What hasn't changed stays the same object, so
 * that it isn't drawn again.
 */
export function applyChange(view: SessionView, change: ViewChange): SessionView | undefined {
  const { number, fields, notebook } = change;
  if (number !== view.number + 1) return undefined;
  if (!notebook) return { ...view, ...fields, number };
  const before = view.notebook;
  const cells = Array.from({ length: notebook.count }, (_, at) => notebook.cells[at] ?? before?.cells[at]);
  if (!before || !cells.every((cell) => cell !== undefined)) return undefined;
  return { ...view, ...fields, number, notebook: { ...before, ...notebook.fields, cells } };
}

/** The place of the cell that is executed, or waits for input; -1: nothing is executed. */
export const runningCell = (cells: readonly Pick<LookCell, "state">[]): number =>
  cells.findIndex(({ state }) => state === "running" || state === "input");

/** The paths of all notebooks, those with a kernel first. */
export function notebooksOf({ notebooks, files }: Pick<SessionView, "notebooks" | "files">): string[] {
  const others = files.filter(({ path, isFolder }) => !isFolder && path.endsWith(".ipynb"));
  return [...new Set([...notebooks, ...others].map(({ path }) => path))];
}
