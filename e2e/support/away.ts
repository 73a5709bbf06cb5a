import { chownSync, statSync, writeFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import type { CairnServer } from "./server";

/** The folder of the demo's repository in a session. */
export const folderOf = (cairn: CairnServer, session: string) =>
  `${cairn.dataDir}/sessions/local/${session}/work/first-steps`;

/** Puts a file into the repository's folder in a session, as its programs would. */
export function put(cairn: CairnServer, session: string, name: string, content: string): void {
  const folder = folderOf(cairn, session);
  const { uid, gid } = statSync(folder);
  writeFileSync(`${folder}/${name}`, content);
  chownSync(`${folder}/${name}`, uid, gid);
}

/** Makes a file in a session for which its code waits. */
export const signal = (cairn: CairnServer, session: string, name: string): void => put(cairn, session, name, "");

/** The notebook that a page of Jupyter has open, as its scripts know it. */
export interface OpenNotebook {
  ncells(): number;
  insert_cell_at_bottom(kind: string): { set_text(text: string): void };
  execute_cells(indices: number[]): void;
  save_notebook(): void;
}
declare const Jupyter: { notebook: OpenNotebook };

/** Code that prints something, waits for a file of this name, and then prints much. */
export const waiting = (name: string) => `
import os, time
print("first", flush=True)
while not os.path.exists("${name}"): time.sleep(0.02)
for at in range(300): print("line", at, flush=True)
"done"`;

/** All that it prints. */
export const printed = `first\n${Array.from({ length: 300 }, (_, at) => `line ${at}\n`).join("")}`;

/** Puts code into a new cell at the end. */
export const insert = (notebook: Page, code: string): Promise<void> =>
  notebook.evaluate((text) => Jupyter.notebook.insert_cell_at_bottom("code").set_text(text), code);

/** Runs the last cell, and waits until it prints something. */
export async function runLast(notebook: Page, prints: string): Promise<void> {
  await notebook.evaluate(() => Jupyter.notebook.execute_cells([Jupyter.notebook.ncells() - 1]));
  await expect(notebook.locator(".code_cell").last().locator(".output_area").first()).toContainText(prints);
}

/** Runs code in a new cell at the end, and waits until it prints something. */
export async function run(notebook: Page, code: string, prints: string): Promise<void> {
  await insert(notebook, code);
  await runLast(notebook, prints);
}
