/** A file that somebody chose. */
export interface ChosenFile {
  /** Relative to the folder that was chosen, with slashes, and with its name. */
  path: string;
  file: File;
}

/** Why something that was chosen isn't uploaded. */
export type LeftOutReason = "empty" | "unreadable" | "twice";

export interface LeftOutFile {
  path: string;
  reason: LeftOutReason;
}

export interface ChosenFiles {
  files: ChosenFile[];
  leftOut: LeftOutFile[];
  /** The name of the folder, if it is the only thing that was chosen. */
  folder?: string;
}

/**
 * Reads everything that was dropped, with what is in folders. Called while the event is handled: the browser forgets the items
 * afterwards.
 */
export function readDropped(items: Iterable<Pick<DataTransferItem, "kind" | "webkitGetAsEntry" | "getAsFile">>) {
  const entries: FileSystemEntry[] = [];
  const files: ChosenFile[] = [];
  for (const item of items) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    else if (file) files.push({ path: file.name, file });
  }
  return readEntries(entries, files);
}

async function readEntries(entries: FileSystemEntry[], files: ChosenFile[]): Promise<ChosenFiles> {
  const leftOut: LeftOutFile[] = [];
  const [first] = entries;
  const folder = entries.length === 1 && files.length === 0 && first?.isDirectory ? first : undefined;
  // The path of an entry begins with a slash. That of a folder dropped alone isn't part of the paths of its files.
  const start = folder ? folder.fullPath.length + 1 : 1;
  const pathOf = ({ fullPath }: FileSystemEntry) => fullPath.slice(start);
  const waiting = [...entries];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (!entry.isDirectory) {
      await readFile(entry as FileSystemFileEntry).then(
        (file) => files.push({ path: pathOf(entry as FileSystemEntry), file }),
        () => leftOut.push({ path: pathOf(entry as FileSystemEntry), reason: "unreadable" }),
      );
      continue;
    }
    const inside = await readFolder(entry as FileSystemDirectoryEntry).catch(() => undefined);
    const path = pathOf(entry) || entry.name;
    if (!inside) leftOut.push({ path, reason: "unreadable" });
    else if (inside.length === 0) leftOut.push({ path, reason: "empty" });
    else waiting.push(...inside);
  }
  return { ...sorted({ files, leftOut }), ...(folder && { folder: folder.name }) };
}

/** What is in a folder. Each call of the browser returns 100 entries at most, and none at the end. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  while (true) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** The files that somebody chose in a dialog of the browser, which doesn't tell of empty folders. */
export function readChosen(list: Iterable<File>): ChosenFiles {
  const files = [...list];
  const [first = ""] = (files[0]?.webkitRelativePath ?? "").split("/");
  const chosen = files.map((file) => ({
    path: file.webkitRelativePath ? file.webkitRelativePath.slice(first.length + 1) : file.name,
    file,
  }));
  return { ...sorted({ files: chosen, leftOut: [] }), ...(first !== "" && { folder: first }) };
}

function sorted({ files, leftOut }: ChosenFiles): ChosenFiles {
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  return { files: files.toSorted(byPath), leftOut: leftOut.toSorted(byPath) };
}
