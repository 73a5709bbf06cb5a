import { useLocation, useNavigate, useSearchParams } from "@/ui/router";

/** The parameter of the page's address that names the folder. */
const parameter = "folder";

interface Visits {
  visited?: readonly string[];
}

/** The target of a link to a folder, and the state it leaves in the history. */
export interface FolderLink {
  to: { search: string };
  state: Visits;
}

/**
 * The folder in the page's address, so that it can be linked to, and the folders visited before it. They are stored in the
 * state of history entries, so that the browser's Back restores them.
 */
export function useFolder() {
  const [params] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const path = params.get(parameter) ?? "";
  const visited = (state as Visits | null)?.visited ?? [];

  const link = (folder: string, left: readonly string[]): FolderLink => {
    const next = new URLSearchParams(params);
    if (folder === "") next.delete(parameter);
    else next.set(parameter, folder);
    return { to: { search: next.toString() }, state: { visited: left } };
  };
  const last = visited.at(-1);
  const before = last === undefined ? undefined : link(last, visited.slice(0, -1));

  return {
    path,
    /** Returns the target of a link to a folder, from which Back returns here. */
    enter: (folder: string) => link(folder, [...visited, path]),
    /** Returns to the root and resets everything. */
    root: link("", []),
    /** Returns to the previous folder; undefined if there is none. */
    back: before && (() => navigate(before.to, { state: before.state })),
  };
}
