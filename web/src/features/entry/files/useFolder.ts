import { useLocation, useNavigate, useSearchParams } from "@/ui/router";

/** The parameters of the page's address that name the folder, or an open file in its folder. */
const parameters = { folder: "folder", file: "file" };

interface Visits {
  visited?: readonly string[];
  /** The file was opened on the page of the history entry before. */
  opened?: boolean;
}

/** The target of a link to a folder, and the state it leaves in the history. */
export interface FolderLink {
  to: { search: string };
  state: Visits;
}

/**
 * The folder and the open file in the page's address, so that they can be linked to, and the folders visited before. These
 * are stored in the state of history entries, so that the browser's Back restores them.
 */
export function useFolder() {
  const [params] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const file = params.get(parameters.file) || undefined;
  const path = file === undefined ? (params.get(parameters.folder) ?? "") : folderOf(file);
  const { visited = [], opened = false } = (state as Visits | null) ?? {};

  const link = (folder: string, left: readonly string[], open?: string): FolderLink => {
    const next = new URLSearchParams(params);
    next.delete(parameters.file);
    next.delete(parameters.folder);
    if (open !== undefined) next.set(parameters.file, open);
    else if (folder !== "") next.set(parameters.folder, folder);
    return { to: { search: next.toString() }, state: { visited: left, ...(open !== undefined && { opened: true }) } };
  };
  const go = ({ to, state: next }: FolderLink, replace = false) => navigate(to, { state: next, replace });
  const last = visited.at(-1);
  const before = last === undefined ? undefined : link(last, visited.slice(0, -1));

  return {
    path,
    /** The path of the open file; undefined for none. */
    file,
    /** Opens a file of the folder; the browser's Back closes it. */
    open: (wanted: string) => go(link(path, visited, wanted)),
    close: () => (opened ? window.history.back() : go(link(path, visited), true)),
    /** Returns the target of a link to a folder, from which Back returns here. */
    enter: (folder: string) => link(folder, [...visited, path]),
    /** Returns to the root and resets everything. */
    root: link("", []),
    /** Returns to the previous folder; undefined if there is none. */
    back: before && (() => go(before)),
    go,
  };
}

/** The folder of a file; "" is the root. */
const folderOf = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf("/")));
