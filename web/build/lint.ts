import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

/** Returns the line numbers of a component that a rule in this folder reports. */
export function faults(rule: string, lines: string[]): (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "rule-"));
  try {
    writeFileSync(
      join(folder, "biome.json"),
      JSON.stringify({ plugins: [fileURLToPath(new URL(rule, import.meta.url))] }),
    );
    writeFileSync(join(folder, "Made.tsx"), lines.join("\n"));
    const { stdout } = spawnSync(biome, ["lint", "--only=plugin", "--reporter=json", "--max-diagnostics=none"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { start: { line: number } } }[] };
    return diagnostics.map(({ location }) => lines[location.start.line - 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
