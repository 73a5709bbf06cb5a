import { webAddress } from "./links";
import { decoded } from "./paths";

/** A folder on the way to another one. */
interface Crumb {
  name: string;
  path: string;
}

/** The folders that lead from the root to a folder, itself the last. */
export function crumbsOf(path: string): Crumb[] {
  const names = path === "" ? [] : path.split("/");
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join("/") }));
}

/**
 * Makes a name safe to display: characters that reverse the text direction, break the line or are invisible are marked, so
 * that no name can pass for another.
 */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu, "\uFFFD");
}

/** The address of a page behind another address: each part of the path escaped. */
export function fileAddress(base: string, path: string): string {
  return base + path.split("/").map(encodeURIComponent).join("/");
}

/** The page of a folder, from the address of the pages of files of its branch. */
export function folderAddress(filesUrl: string, path: string): string {
  const pages = filesUrl.replace(/^(https?:\/\/(?:[^/]+\/){3}|https?:\/\/.+?\/-\/)blob\//, "$1tree/");
  return fileAddress(pages, path).replace(/\/$/, "");
}

/**
 * Resolves a link in a text at a path of a repository; undefined for a relative link if the repository has no pages.
 * Absolute addresses are returned unchanged.
 */
export function linkIn(filesUrl: string, path: string, href: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) return href;
  // "/docs" means the root of the repository, not that of its host.
  const base = href.startsWith("/") ? filesUrl : fileAddress(filesUrl, path);
  const relative = href.replace(/^\/+/, "");
  return URL.canParse(relative, base) ? new URL(relative, base).href : undefined;
}

// Any address that no repository has would do.
const root = "https://repository.invalid/";

/**
 * Which picture a text at a path of a repository shows: another file of it, or one at a web address that the text names.
 * Undefined for neither.
 */
export function pictureIn(path: string, src: string): { file: string; address?: string } | undefined {
  const resolved = linkIn(root, path, src);
  if (resolved?.startsWith(root)) return { file: decoded(resolved.slice(root.length).replace(/[?#].*$/, "")) };
  const address = webAddress(resolved);
  return address === undefined ? undefined : { file: path, address };
}

interface Entry {
  type: "dir" | "file" | "submodule";
  name: string;
  path: string;
  /** Bytes; -1 if the code host does not say. */
  size: number;
}

/** The largest text that can be shown in the page, in bytes. */
export const previewLimit = 1_000_000;

const textEnding =
  /\.(md|markdown|rst|txt|text|log|csv|tsv|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|css|tex|bib|cff|py|pyi|pyx|r|rmd|jl|m|mod|hoc|c|h|cc|cpp|cxx|hpp|cu|f|f90|f95|go|rs|java|kt|js|mjs|jsx|ts|tsx|sh|bash|zsh|bat|ps1|pl|rb|lua|sql|smk|nf|wdl|cwl|pdb|xyz|in|inp|mdp|top|itp|psf|gro|patch|diff)$/i;
const textName =
  /^(readme|license|licence|copying|notice|authors|contributors|changelog|changes|install|makefile|dockerfile|snakefile|procfile|requirements|\.git(ignore|attributes|modules)|\.dockerignore|\.editorconfig)$/i;

/** Whether a file is likely to be a text that can be shown here. */
function isText({ type, name, size }: Entry): boolean {
  return type === "file" && size <= previewLimit && (textEnding.test(name) || textName.test(name));
}

export const isMarkdown = (name: string): boolean => /\.(md|markdown)$/i.test(name);
export const isNotebook = (name: string): boolean => /\.ipynb$/i.test(name);

/** Whether a file can be shown here. */
export const isShown = (entry: Entry): boolean => isText(entry) || (entry.type === "file" && isNotebook(entry.name));

const readmeNames = [/^readme\.(md|markdown)$/i, /^readme$/i, /^readme\.(txt|rst)$/i];

/** The file of a folder that introduces it. */
export function readmeAmong<E extends Entry>(entries: readonly E[]): E | undefined {
  const files = entries.filter(({ type, size }) => type === "file" && size !== 0 && size <= previewLimit);
  return readmeNames
    .map((pattern) => files.find(({ name }) => pattern.test(name)))
    .find((found) => found !== undefined);
}
