// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of a component, as text.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const rule = fileURLToPath(new URL("words.grit", import.meta.url));
const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

/** The lines of a component that the rule complains of. */
function faults(lines: string[]): (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  try {
    writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins: [rule] }));
    writeFileSync(join(folder, "Made.tsx"), lines.join("\n"));
    const { stdout } = spawnSync(biome, ["lint", "--only=plugin", "--reporter=json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { start: { line: number } } }[] };
    return diagnostics.map(({ location }) => lines[location.start.line - 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the linter finds the words in a component, and nothing else", () => {
  const words = [
    "export const a = <i>Words</i>;",
    'export const b = <i>{"Words"}</i>;',
    'export const c = <i>{some ? "Words" : some}</i>;',
    'export const d = <i>{some && "Words"}</i>;',
    "export const e = <i>{`${some} words`}</i>;",
    'export const f = <i aria-label="Words" />;',
    "export const g = <i title={some ? `${some} words` : undefined} />;",
    'export const h = { label: "Words" };',
    'toast.error("Words");',
    'toast.error(some, "Words");',
  ];
  const others = [
    'export const i = <i className="words" role={some ? "alert" : undefined} />;',
    "export const j = <i>{some} · {`${some}: ${some}`}</i>;",
    'export const k = <i title={some("words")}>{some("words")}</i>;',
    "toast.error(some.title, some.body);",
  ];
  expect(faults([...words, ...others])).toEqual(words);
});
