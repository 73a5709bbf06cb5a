import type { ContentFile, SecretWarning, SessionContents } from "./shapes";

/** A file or a folder in a session's work, with what is below it. */
export interface FileNode {
  /** The end of its path. */
  name: string;
  /** Relative to the work folder, without a slash at the end; "" for the work folder itself. */
  path: string;
  /** 1 for a file. */
  files: number;
  bytes: number;
  /** Folders first, each by name; undefined for a file. */
  children?: FileNode[];
}

interface Growing extends FileNode {
  folders: Map<string, Growing>;
  leaves: FileNode[];
}

const grow = (name: string, path: string): Growing => ({
  ...{ name, path, files: 0, bytes: 0 },
  folders: new Map(),
  leaves: [],
});

const byName = (one: FileNode, other: FileNode) => one.name.localeCompare(other.name, undefined, { numeric: true });

function grown({ folders, leaves, ...node }: Growing): FileNode {
  return { ...node, children: [...[...folders.values()].map(grown).sort(byName), ...leaves.sort(byName)] };
}

/** Puts files into their folders. */
export function treeOf(files: readonly ContentFile[]): FileNode {
  const root = grow("", "");
  for (const { path, bytes } of files) {
    const names = path.split("/");
    const name = names.pop() ?? "";
    let folder = root;
    folder.files += 1;
    folder.bytes += bytes;
    for (const each of names) {
      const at = folder.path === "" ? each : `${folder.path}/${each}`;
      const next = folder.folders.get(each) ?? grow(each, at);
      folder.folders.set(each, next);
      folder = next;
      folder.files += 1;
      folder.bytes += bytes;
    }
    folder.leaves.push({ name, path, files: 1, bytes });
  }
  return grown(root);
}

/** The paths of the folders that a path is in, the topmost first. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** How many files are chosen in each folder that has one; those of all of them by "". */
export function countChosen(chosen: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map([["", chosen.size]]);
  for (const path of chosen) for (const folder of foldersOf(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return counts;
}

/** The paths of all files of a folder, or of the file itself. */
export function filesBelow(node: FileNode): string[] {
  return node.children ? node.children.flatMap(filesBelow) : [node.path];
}

/** Chooses all files of a folder, or none of them. */
export function choose(chosen: ReadonlySet<string>, node: FileNode, on: boolean): ReadonlySet<string> {
  const next = new Set(chosen);
  for (const path of filesBelow(node)) {
    if (on) next.add(path);
    else next.delete(path);
  }
  return next;
}

/** Warnings by the paths of their files: a file may have several. */
export function warningsOf(warnings: readonly SecretWarning[]): ReadonlyMap<string, SecretWarning[]> {
  const found = new Map<string, SecretWarning[]>();
  for (const warning of warnings) found.set(warning.path, [...(found.get(warning.path) ?? []), warning]);
  return found;
}

const isHidden = (path: string) => path.split("/").some((name) => name.startsWith("."));

/** The files that are chosen at first: all but hidden ones, and those that look as if they had a secret in them. */
export function chosenAtFirst({ files, warnings }: Pick<SessionContents, "files" | "warnings">): ReadonlySet<string> {
  const warned = new Set(warnings.map(({ path }) => path));
  return new Set(files.map(({ path }) => path).filter((path) => !isHidden(path) && !warned.has(path)));
}

/** What is chosen of a new version: files that were there before stay as they were, others are chosen as at first. */
export function chosenAgain(
  chosen: ReadonlySet<string>,
  before: Pick<SessionContents, "files">,
  now: Pick<SessionContents, "files" | "warnings">,
): ReadonlySet<string> {
  const known = new Set(before.files.map(({ path }) => path));
  const fresh = chosenAtFirst(now);
  return new Set(now.files.map(({ path }) => path).filter((path) => (known.has(path) ? chosen : fresh).has(path)));
}

/** The paths that are sent: a folder that is chosen wholly, else its files. */
export function pathsOf(root: FileNode, chosen: ReadonlySet<string>): string[] {
  const counts = countChosen(chosen);
  const below = (node: FileNode): string[] => {
    if (!node.children) return chosen.has(node.path) ? [node.path] : [];
    if (node.path !== "" && counts.get(node.path) === node.files) return [node.path];
    return counts.has(node.path) ? node.children.flatMap(below) : [];
  };
  return below(root);
}

/** The sum of chosen files. */
export function sumOf(files: readonly ContentFile[], chosen: ReadonlySet<string>): { files: number; bytes: number } {
  const some = files.filter(({ path }) => chosen.has(path));
  return { files: some.length, bytes: some.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The files whose path has a text, whatever its case. */
export function filesWith(files: readonly ContentFile[], text: string): ContentFile[] {
  const wanted = text.trim().toLowerCase();
  return files.filter(({ path }) => path.toLowerCase().includes(wanted));
}
