import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { deleteAllSessions, newSessionDialog, expectNothingRuns, newTab, sessionCard } from "../support/sessions";
import { test as base, expect } from "../support/test";

const sizes = `
sessions:
  engines:
    - name: local
      label: This server
      kind: local
      profiles:
        - {name: small, label: Small, memory: 512MiB, cpus: 1}
        - {name: medium, label: Medium, memory: 2GiB, cpus: 1}
        - {name: large, label: Large, memory: 4GiB, cpus: 2}
        - {name: huge, label: Huge, memory: 64GiB, cpus: 2, for: operators}
`;

const entry = (name: string, repositoryUrl: string, needs: object) => ({
  ...{ kind: "resource", externalId: name, type: "REPOSITORY", name, repositoryUrl, description: "", needs },
  ...{ authors: ["researcher@example.org"], tags: [], privacy: "PUBLIC", headerImage: "" },
});
const folding = "Folding of a large protein";
const galaxy = "A galaxy on a GPU";

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use, info) => {
      const file = join(info.project.outputDir, `sizes-${info.workerIndex}.yaml`);
      await writeFile(file, sizes);
      const cairn = await CairnServer.start({ flags: ["--config", file] });
      const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?type=REPOSITORY&nameSearch=First+steps`);
      const [{ repositoryUrl }] = (await answer.json()).content;
      await cairn.import(
        entry(folding, repositoryUrl, { memoryBytes: 2 ** 30, cpus: 1 }),
        entry(galaxy, repositoryUrl, { memoryBytes: 32 * 2 ** 30, gpus: 1 }),
      );
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/** Opens the page of an entry, and returns its id. */
async function openEntry(page: Page, name: string): Promise<string> {
  await openAs(page, people.researcher, "/resources");
  const query = `/resources/public?nameSearch=${encodeURIComponent(`"${name}"`)}`;
  const [found] = (await callAs<{ content: { id: string }[] }>(page, "GET", query)).content;
  await page.goto(`/resources/repositories/${found?.id}`);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return found?.id ?? "";
}

test("the smallest size that has what an entry asks for is chosen, and the dialog says why", async ({ page, cairn }, info) => {
  await openEntry(page, folding);
  await page.getByRole("button", { name: "Run with options" }).click();
  const choice = newSessionDialog(page).getByRole("group", { name: "Size" });
  const why = choice.getByRole("status");
  await expect(choice.getByRole("radio")).toHaveCount(3);
  await expect(choice.getByRole("radio", { name: "Medium" })).toBeChecked();
  await expect(why).toHaveText("Its authors ask for 1 GiB of memory and 1 processor. Medium is the smallest size that has that.");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: info.outputPath(`fits-${width}.png`) });
  }
  await choice.getByRole("radio", { name: "Large" }).check();
  await expect(why).toHaveText("Its authors ask for 1 GiB of memory and 1 processor.");
  await choice.getByRole("radio", { name: "Small" }).check();
  await expect(why).toHaveText("Its authors ask for 1 GiB of memory and 1 processor. Small has less, so it may be slow or fail.");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.screenshot({ path: info.outputPath(`small-${width}.png`) });
  }
  await newSessionDialog(page).getByRole("textbox", { name: "Session name" }).fill("Folding in a small one");
  const started = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await started.waitForURL(/\/s\//); // the launch page has started it
  await started.close();
  await page.goto("/sessions");
  await expect(sessionCard(page, "Folding in a small one")).toContainText("Small (512 MiB of memory, 1 processor");
  await expect(sessionCard(page, "Folding in a small one")).toContainText("Its authors ask for 1 GiB of memory and 1 processor.");
  await deleteAllSessions(page);
  await expectNothingRuns(cairn);
});

test("Run says that no size fits, and its options still let people choose one @all", async ({ page, cairn }, info) => {
  await openEntry(page, galaxy);
  const says =
    "Its authors ask for 32 GiB of memory and 1 GPU, and no size of session here has that. The largest has 4 GiB of memory, 2 processors and no GPU.";
  const run = page.getByRole("button", { name: "Run", exact: true });
  await expect(run).toHaveAttribute("aria-disabled", "true");
  await expect(run).toHaveAccessibleDescription(says);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: info.outputPath(`button-${width}.png`) });
  }
  await page.getByRole("button", { name: "Run with options" }).click();
  const dialog = newSessionDialog(page);
  const create = dialog.getByRole("button", { name: "Create session" });
  await expect(dialog.getByRole("status")).toHaveText(
    "Its authors ask for 32 GiB of memory and 1 GPU, and no size here has that. Choose one to try it anyway.",
  );
  await expect(dialog.getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(create).toBeDisabled();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: info.outputPath(`none-${width}.png`) });
  }
  await dialog.getByRole("radio", { name: "Large" }).check();
  await expect(create).toBeEnabled();
  await newTab(page, create);
  await expect(async () => {
    const [session] = await callAs<{ profile: { name: string }; lacks: string[] }[]>(page, "GET", "/sessions");
    expect([session?.profile.name, session?.lacks]).toEqual(["large", ["memory", "gpus"]]);
  }).toPass();
  await page.goto("/sessions");
  await deleteAllSessions(page);
  await expectNothingRuns(cairn);
});

test("the page that a link to run leads to says so too, with the code and not by the sentence @all", async ({ page }) => {
  await page.route("**/api/v1/rf/resources/public/*", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: body.runCode ? { ...body, runNote: "Zu groß." } : body });
  });
  const id = await openEntry(page, galaxy);
  await page.goto(`/run/${id}`);
  await expect(page.getByRole("button", { name: "Run", exact: true })).toHaveAccessibleDescription("Zu groß.");
  await expect(page.getByRole("button", { name: "Run with options" })).toBeVisible();
});
