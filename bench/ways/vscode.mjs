// Starts VS Code in turns by hand and in a session, and prints how long each took until a notebook could be run, in milliseconds:
// vscode.mjs ADDRESS BROWSER PERSON PAGE CODE-SERVER FOLDER ROUNDS
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, env, getuid, kill } from "node:process";

const { chromium } = createRequire(new URL("../../e2e/package.json", import.meta.url))("playwright-core");
const [address, executablePath, person, path, program, folder, rounds] = argv.slice(2);
const timeout = 120_000;

const browser = await chromium.launch({ executablePath, chromiumSandbox: getuid() !== 0 });
const cells = ".notebookOverlay .cell-list-container .monaco-list-row";
const usable = (page, what) => page.locator(what).first().waitFor({ state: "attached", timeout });

async function byHand() {
  const data = mkdtempSync(join(tmpdir(), "vscode-"));
  const port = await new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
  const context = await browser.newContext();
  const began = performance.now();
  const words = ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--user-data-dir", data, "--config", join(data, "config.yaml"), "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", folder];
  const server = spawn(program, words, { stdio: "ignore", detached: true, env: { ...env, EXTENSIONS_GALLERY: "{}" } });
  try {
    const page = await context.newPage();
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      if (answer?.ok) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
    await page.getByRole("treeitem", { name: "notebook.ipynb" }).click({ timeout });
    // Who is quick gets the notebook's text: what shows its cells may not have been started yet.
    await usable(page, `${cells}, .editor-instance .view-line`);
    return performance.now() - began;
  } finally {
    await context.close();
    kill(-server.pid, "SIGKILL");
    rmSync(data, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function inSession() {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${address}/login`);
    await page.getByRole("main").getByRole("button").first().click();
    await page.getByRole("button", { name: person }).click();
    await page.waitForURL((url) => url.href.startsWith(address) && !url.pathname.startsWith("/idp/") && url.pathname !== "/oauth_callback");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`${address}${path}`);
    const button = page.getByRole("main").getByRole("button", { name: "Open in VS Code" });
    await button.waitFor();
    const began = performance.now();
    const [tab] = await Promise.all([context.waitForEvent("page"), button.click()]);
    await usable(tab, cells);
    const took = performance.now() - began;
    await tab.close();
    await page.evaluate(async () => {
      const key = Object.keys(localStorage).find((name) => name.startsWith("oidc.user:"));
      const headers = { Authorization: `Bearer ${JSON.parse(localStorage.getItem(key)).access_token}` };
      const sessions = await (await fetch("/api/v1/rf/sessions/", { headers })).json();
      for (const { id } of sessions) await fetch(`/api/v1/rf/sessions/${id}`, { method: "DELETE", headers });
    });
    return took;
  } finally {
    await context.close();
  }
}

const took = { bare: [], own: [] };
for (let round = 0; round <= Number(rounds); round += 1) {
  const [bare, own] = [await byHand(), await inSession()];
  console.error(`  by hand ${Math.round(bare)} ms, in a session ${Math.round(own)} ms`);
  if (round > 0) {
    took.bare.push(bare);
    took.own.push(own);
  }
}
await browser.close();
console.log(JSON.stringify(took));
