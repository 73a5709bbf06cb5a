import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { divide, pack, packedSize } from "./tar";

const file = (path: string, content = path, modified = 1_700_000_000_000) => ({
  path,
  content: new Blob([content]),
  modified,
});

/** Unpacks an archive with the system's program, and returns the content of the given paths. */
async function unpacked(archive: Blob, paths: string[]): Promise<{ text: string; seconds: number }[]> {
  const folder = mkdtempSync(join(tmpdir(), "tar-"));
  try {
    writeFileSync(join(folder, "a.tar"), new Uint8Array(await archive.arrayBuffer()));
    execFileSync("tar", ["xf", "a.tar"], { cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8" } });
    return paths.map((path) => ({
      text: readFileSync(join(folder, path), "utf8"),
      seconds: statSync(join(folder, path)).mtimeMs / 1000,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const paths = [
  "a.txt",
  "a/b.txt",
  "größe/Ωmega — 数据.csv",
  "emoji 🧠.txt",
  `${"n".repeat(100)}`,
  `${"folder/".repeat(20)}file.txt`, // fits into the two fields
  `${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(90)}.txt`, // doesn't
  `${"x".repeat(101)}`,
  " leading and trailing /with spaces ",
  'it\'s "quoted".txt',
];

test("other programs unpack what it packs", async () => {
  const archive = pack(paths.map((path) => file(path)));
  expect(archive.size % 512).toBe(0);
  expect(await unpacked(archive, paths)).toEqual(paths.map((text) => ({ text, seconds: 1_700_000_000 })));
});

test.each([0, 1, 511, 512, 513, 70_000])("a file of %i bytes", async (size) => {
  const content = "é".repeat(size / 2) + "x".repeat(size % 2);
  const [found] = await unpacked(pack([file("a", content), file("b")]), ["a", "b"]);
  expect(found?.text).toBe(content);
});

test("the length of a record counts itself, also where it gets another digit", async () => {
  const long = Array.from({ length: 12 }, (_, more) => `${"y".repeat(85 + more)}ü`);
  expect((await unpacked(pack(long.map((path) => file(path))), long)).map(({ text }) => text)).toEqual(long);
});

test("a time before 1970 is none", async () => {
  expect(await unpacked(pack([file("a", "", -1)]), ["a"])).toEqual([{ text: "", seconds: 0 }]);
});

test("the same files make the same bytes", async () => {
  const bytes = async () => new Uint8Array(await pack(paths.map((path) => file(path))).arrayBuffer());
  expect(await bytes()).toEqual(await bytes());
});

test("archives stay below the limit and have all files in their order", () => {
  const files = Array.from({ length: 50 }, (_, at) => file(`${at}`, "z".repeat(at * 40)));
  const packs = divide(files, 8192);
  expect(packs.flat()).toEqual(files);
  expect(packs.length).toBeGreaterThan(3);
  for (const each of packs) {
    const archive = pack(each);
    expect(archive.size).toBeLessThanOrEqual(8192);
    expect(archive.size).toBe(each.reduce((sum, one) => sum + packedSize(one), 1024));
  }
  expect(divide([file("large", "z".repeat(9000)), file("small")], 8192).map(({ length }) => length)).toEqual([1, 1]);
  expect(divide([], 8192)).toEqual([]);
});
