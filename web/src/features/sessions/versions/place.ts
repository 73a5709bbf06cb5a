/** What the page of a session's versions shows, as its address says. */
export interface VersionsPlace {
  /** The chosen version; "" for the newest. */
  version: string;
  /** The folder in the work folder that is shown; "" for the work folder itself. */
  folder: string;
  /** The file that is shown, as a path in the work folder; "" for none. */
  file: string;
  /** Of the list, counted from 1. */
  page: number;
}

/** Reads the parameters of the address; what makes no sense counts as absent. */
export function readPlace(params: URLSearchParams): VersionsPlace {
  const page = Number(params.get("page"));
  return {
    version: params.get("version") ?? "",
    folder: params.get("folder") ?? "",
    file: params.get("file") ?? "",
    page: Number.isInteger(page) && page > 1 ? page : 1,
  };
}

/** The search part of the address that shows a place. */
export function writePlace({ version, folder, file, page }: VersionsPlace): string {
  const params = new URLSearchParams();
  if (version !== "") params.set("version", version);
  if (folder !== "") params.set("folder", folder);
  if (file !== "") params.set("file", file);
  if (page > 1) params.set("page", String(page));
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** The folders above a path and itself, the topmost first, with their paths. */
export function waysTo(path: string): { name: string; path: string }[] {
  const names = path.split("/").filter((name) => name !== "");
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join("/") }));
}

/** The folder that a path is in. */
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/** The name at the end of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Pictures that browsers show in an <img>, where no script in them runs. */
export const isPicture = (path: string): boolean => /\.(png|jpe?g|gif|webp|svg)$/i.test(path);

export const isNotebook = (path: string): boolean => /\.ipynb$/i.test(path);
