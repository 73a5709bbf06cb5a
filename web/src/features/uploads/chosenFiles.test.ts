import { expect, test } from "vitest";
import { readChosen, readDropped } from "./chosenFiles";

type Tree = { [name: string]: Tree | File | "unreadable" };

const file = (name: string, path = "") =>
  Object.assign(new File([name], name), path === "" ? {} : { webkitRelativePath: path });

/** A folder as browsers give it: 100 entries a call, then none. */
function entryOf(name: string, content: Tree[string], parent = ""): FileSystemEntry {
  const fullPath = `${parent}/${name}`;
  if (content === "unreadable") {
    return made({
      name,
      fullPath,
      isDirectory: false,
      file: (_: unknown, fail: (error: Error) => void) => fail(new Error()),
    });
  }
  if (content instanceof File) {
    return made({ name, fullPath, isDirectory: false, file: (done: (file: File) => void) => done(content) });
  }
  const createReader = () => {
    const left = Object.entries(content).map(([each, inside]) => entryOf(each, inside, fullPath));
    return { readEntries: (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 100)) };
  };
  return made({ name, fullPath, isDirectory: true, createReader });
}

const made = (entry: object) => entry as unknown as FileSystemEntry;

const item = (entry: FileSystemEntry | null, plain: File | null = null) => ({
  kind: "file",
  webkitGetAsEntry: () => entry,
  getAsFile: () => plain,
});

const pathsOf = ({ files }: { files: { path: string }[] }) => files.map(({ path }) => path);

test("a folder is read completely, however many calls that takes", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${1000 + at}.txt`, file("x")]));
  const found = await readDropped([item(entryOf("data", { many, "a.csv": file("a.csv") }))]);
  expect(found.folder).toBe("data");
  expect(pathsOf(found)).toEqual(["a.csv", ...Object.keys(many).map((name) => `many/${name}`)]);
  expect(found.leftOut).toEqual([]);
});

test("what can't be uploaded is told", async () => {
  const found = await readDropped([item(entryOf("data", { empty: {}, in: { deep: {} }, "b.txt": "unreadable" }))]);
  expect(found.files).toEqual([]);
  expect(found.leftOut).toEqual([
    { path: "b.txt", reason: "unreadable" },
    { path: "empty", reason: "empty" },
    { path: "in/deep", reason: "empty" },
  ]);
  expect((await readDropped([item(entryOf("data", {}))])).leftOut).toEqual([{ path: "data", reason: "empty" }]);
});

test("of several folders, each keeps its name", async () => {
  const found = await readDropped([
    item(entryOf("one", { "a.txt": file("a.txt") })),
    item(entryOf("two", { "a.txt": file("a.txt") })),
    item(entryOf("c.txt", file("c.txt"))),
    { ...item(null), kind: "string" },
    item(null, file("d.txt")),
  ]);
  expect(pathsOf(found)).toEqual(["c.txt", "d.txt", "one/a.txt", "two/a.txt"]);
  expect(found.folder).toBeUndefined();
});

test("what is chosen in a dialog", () => {
  const folder = readChosen([file("b.txt", "data/in/b.txt"), file("a.txt", "data/a.txt")]);
  expect(pathsOf(folder)).toEqual(["a.txt", "in/b.txt"]);
  expect(folder.folder).toBe("data");
  const files = readChosen([file("b.txt"), file("a.txt")]);
  expect(pathsOf(files)).toEqual(["a.txt", "b.txt"]);
  expect(files.folder).toBeUndefined();
  expect(readChosen([]).files).toEqual([]);
});
