import { expect, it } from "vitest";
import {
  choose,
  chosenAgain,
  chosenAtFirst,
  countChosen,
  type FileNode,
  filesWith,
  pathsOf,
  sumOf,
  treeOf,
  warningsOf,
} from "./fileTree";

const files = [
  "README.md",
  "data/b.csv",
  "data/a10.csv",
  "data/a9.csv",
  "data/raw/x.bin",
  ".env",
  "src/.cache/y",
  "key.pem",
].map((path, at) => ({ path, bytes: at + 1 }));
const warnings = [
  { path: ".env", kind: "env_file" as const },
  { path: "key.pem", kind: "private_key" as const },
];
const tree = treeOf(files);
const all = new Set(files.map(({ path }) => path));

function find(path: string, node: FileNode = tree): FileNode {
  const found =
    path === node.path
      ? node
      : node.children?.map((each) => path.startsWith(each.path) && find(path, each)).find(Boolean);
  if (!found) throw new Error(path);
  return found;
}

it("puts files into folders, which come first and have sums", () => {
  expect(tree.children?.map(({ name }) => name)).toEqual(["data", "src", ".env", "key.pem", "README.md"]);
  expect(find("data").children?.map(({ name }) => name)).toEqual(["raw", "a9.csv", "a10.csv", "b.csv"]);
  expect([find("data").files, find("data").bytes, tree.files]).toEqual([4, 14, 8]);
});

it("chooses everything at first but hidden files and those with warnings", () => {
  const chosen = chosenAtFirst({ files, warnings });
  expect([...chosen]).toEqual(["README.md", "data/b.csv", "data/a10.csv", "data/a9.csv", "data/raw/x.bin"]);
  expect(sumOf(files, chosen)).toEqual({ files: 5, bytes: 15 });
});

it("sends a folder that is chosen wholly as one path, and never the work folder", () => {
  expect(pathsOf(tree, all)).toEqual(["data", "src", ".env", "key.pem", "README.md"]);
  expect(pathsOf(tree, choose(all, find("data/b.csv"), false)).slice(0, 3)).toEqual([
    "data/raw",
    "data/a9.csv",
    "data/a10.csv",
  ]);
  expect(pathsOf(tree, choose(new Set(), find("data/raw"), true))).toEqual(["data/raw"]);
  expect(pathsOf(tree, new Set())).toEqual([]);
});

it("counts what is chosen in each folder", () => {
  const counts = countChosen(new Set(["data/b.csv", "data/raw/x.bin"]));
  expect([...counts]).toEqual([
    ["", 2],
    ["data", 2],
    ["data/raw", 1],
  ]);
});

it("keeps what was chosen when the work has changed, and chooses new files as at first", () => {
  const now = { files: [...files.slice(1), { path: "new.csv", bytes: 1 }, { path: ".new", bytes: 1 }], warnings };
  expect([...chosenAgain(new Set(["README.md", ".env"]), { files }, now)]).toEqual([".env", "new.csv"]);
});

it("knows all warnings about a file", () => {
  const twice = [...warnings, { path: ".env", kind: "generic_secret" as const, line: 2 }];
  expect([...warningsOf(twice)].map(([path, { length }]) => [path, length])).toEqual([
    [".env", 2],
    ["key.pem", 1],
  ]);
});

it("takes a moment for ten thousand files", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => ({ path: `a/${at % 100}/b/${at}.csv`, bytes: 1 }));
  const root = treeOf(many);
  const chosen = chosenAtFirst({ files: many, warnings: [] });
  expect(pathsOf(root, chosen)).toEqual(["a"]);
  expect(pathsOf(root, choose(chosen, { name: "", path: "a/0/b/0.csv", files: 1, bytes: 1 }, false))).toHaveLength(198);
});

it("finds files by a part of their path", () => {
  expect(filesWith(files, " A1").map(({ path }) => path)).toEqual(["data/a10.csv"]);
});
