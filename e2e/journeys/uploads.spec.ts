import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page, Request } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { calls } from "../support/answers";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/test";

const mebibyte = 2 ** 20;
/** What the page sends in one request. */
const chunk = 16 * mebibyte;
const large = "data/recording.bin";

const notebook = (text: string) =>
  JSON.stringify({
    cells: [{ cell_type: "code", id: "a1", execution_count: null, metadata: {}, outputs: [], source: [text] }],
    metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
    ...{ nbformat: 4, nbformat_minor: 5 },
  });

const first: Record<string, string | Buffer> = {
  "README.md": "# Spikes of a model neuron\n\nA recording, and what makes it.\n",
  "analysis.ipynb": notebook("print('mean', -62)"),
  "model.py": "def step(v):\n    return v + 0.1\n",
  "plot.R": "plot(1:10)\n",
  "environment.yml": "name: spikes\ndependencies:\n  - python=3.12\n",
  "notes.txt": "Measured in May.\n",
  "data/trace.csv": "time,voltage\n0,-65\n1,-64\n",
  "data/parameters.json": '{"seed": 1}\n',
  "figure.png": Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
  [large]: Buffer.alloc(2.5 * chunk, "neuron"),
};
const second = { ...first, "model.py": "def step(v):\n    # Corrected.\n    return v + 0.2\n", [large]: "now small\n" };

/** Writes a folder, and returns its path. */
async function write(root: string, files: Record<string, string | Buffer>): Promise<string> {
  const folder = join(root, "spikes");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function choose(page: Page, folder: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(folder);
}

/** Where the requests with bytes of one large upload began, of those that a page sends from now on. */
function offsetsOf(page: Page): number[] {
  const offsets: number[] = [];
  page.on("request", (request: Request) => {
    const offset = Number(request.headers()["upload-offset"]);
    if (request.method() === "PATCH" && offset > 0) offsets.push(offset);
  });
  return offsets;
}

test("a folder becomes an entry although its upload was paused and the page reloaded, and then gets a second version", async ({ page, watch }) => {
  const root = await mkdtemp(join(tmpdir(), "cairn-uploads-"));
  const main = page.getByRole("main");
  try {
    const folder = await write(join(root, "1"), first);
    const corrected = await write(join(root, "2"), second);
    const offsets = offsetsOf(page);
    // The second part of the large file gets no answer, as on a line that breaks.
    const parts = calls(/^\/uploads\/[0-9a-f-]{36}$/);
    await page.route(parts, (route) => {
      if (Number(route.request().headers()["upload-offset"] ?? 0) === 0) return route.continue();
    });

    await openAs(page, people.researcher, "/add");
    await main.getByRole("link", { name: /^Upload files/ }).click();
    await choose(page, folder);
    const row = main.getByRole("article", { name: large });
    await expect(row).toContainText("16 MiB of 40 MiB");
    await row.getByRole("button", { name: "Pause" }).click();
    await expect(row).toContainText("Paused");
    await expectAccessible(page);
    await row.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => offsets.length).toBeGreaterThan(1);

    // The browser asks whether to leave what goes on.
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await expect(main.getByRole("heading", { name: "Unfinished uploads from earlier" })).toBeVisible();
    await page.unroute(parts);
    offsets.length = 0;
    await choose(page, folder);
    await expect(main.getByText("10 files are uploaded")).toBeVisible();
    expect(offsets, "what had arrived isn't sent again").toEqual([chunk, 2 * chunk]);

    await main.getByRole("button", { name: "Continue" }).click();
    await expect(main.getByRole("radio", { name: "Repository" })).toBeChecked();
    await main.getByRole("textbox", { name: "Name", exact: true }).fill("Spikes from my computer");
    await main.getByRole("button", { name: "Add repository" }).click();
    await expect(page).toHaveURL(/\/resources\/repositories\/[0-9a-f-]{36}$/);
    const entry = page.url();
    await expect(main.getByText("Kept on this server, version 1")).toBeVisible();
    await expect(main.getByRole("link", { name: "Version 1" })).toBeVisible();

    await main.getByText("Upload a new version").click();
    await choose(page, corrected);
    await expect(main.getByText("10 files are uploaded")).toBeVisible();
    await main.getByRole("textbox", { name: "What is new" }).fill("Corrected the step.");
    await main.getByRole("button", { name: "Add the version" }).click();
    await expect(main.getByText("Corrected the step.")).toBeVisible();
    await main.getByRole("button", { name: "What changed in version 2" }).click();
    await main.getByText("model.py changed").click();
    await expect(main.getByRole("region", { name: "Changes in model.py" })).toContainText("# Corrected.");
    await expectAccessible(page);

    await main.getByRole("link", { name: "Version 1" }).click();
    await expect(main.getByText(/^This is version 1 of 2/)).toBeVisible();
    await expect(main.getByText(/\/v1\/.*\.git$/)).toBeVisible();
    await expect(main.getByRole("link", { name: "Edit" })).toBeHidden();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.goto(`${entry}?version=1&file=model.py`);
    await expect(page.getByRole("dialog")).toContainText("v + 0.1");

    await page.goto(entry);
    await main.getByRole("button", { name: "Withdraw version 1" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("The step was wrong.");
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw the version" }).click();
    await expect(main.getByText("Why it was withdrawn: The step was wrong.")).toBeVisible();
    watch.expects(/status of 410 /);
    await main.getByRole("link", { name: "Version 1" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "This version was withdrawn" })).toBeVisible();
    await expect(main.getByText(/The step was wrong\.$/)).toBeVisible();
    await expectAccessible(page);
    await main.getByRole("link", { name: "See the latest version" }).click();
    await expect(page).toHaveURL(entry);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
