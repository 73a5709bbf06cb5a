import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CairnServer } from "./server";

/** Adds files to the repository of the demo, as its author would. */
export async function addFiles(cairn: CairnServer, files: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "cairn-e2e-repository-"));
  const git = (...words: string[]) => promisify(execFile)("git", ["-C", folder, ...words]);
  await git("clone", "--quiet", join(cairn.dataDir, "demo", "git", "first-steps.git"), ".");
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await git("add", ".");
  await git("-c", "user.name=Robin", "-c", "user.email=robin@example.org", "commit", "--quiet", "--message", "Add files");
  await git("push", "--quiet");
  await rm(folder, { recursive: true });
}
