import { fileURLToPath } from "node:url";
import { expectFiles } from "./support/jupyter";
import { openAs, people } from "./support/people";
import {
  deleteSession,
  demoProjectCard,
  expectStatus,
  fillDialog,
  newSessionDialog,
  newTab,
  openDemoRepository,
} from "./support/sessions";
import { expect, test } from "./support/test";

/*
 * Pictures of the pages with the demo catalog, at both widths, for the README and for whoever changes the look. The
 * first window of each page, as the README shows it.
 */

const folder = fileURLToPath(new URL("../docs/screens", import.meta.url));

test("pictures of the pages", async ({ page, cairn }, { project }) => {
  const width = project.use.viewport?.width;
  const picture = async (name: string) => {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, scale: "css", animations: "disabled" });
  };

  await page.goto("/");
  await expect(page.getByRole("article")).not.toHaveCount(0);
  await picture("landing");

  await page.goto("/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL");
  await expect(page.getByRole("article")).not.toHaveCount(0);
  await picture("catalog");

  await openDemoRepository(page);
  await expect(demoProjectCard(page)).toBeVisible();
  await picture("detail");

  await page.goto("/resources/notebooks?searchText=oscillators");
  await page.goto((await page.getByRole("article").getByRole("link").first().getAttribute("href")) ?? "");
  const notebook = page.locator("iframe");
  await notebook.scrollIntoViewIfNeeded();
  await expect(notebook.contentFrame().getByRole("heading").first()).toBeVisible();
  await picture("notebook");

  await page.goto("/resources?resourceTypes=DATASET&searchText=membrane+recording");
  await page.goto((await page.getByRole("article").getByRole("link").first().getAttribute("href")) ?? "");
  const plot = page.getByRole("img", { name: /voltage|current/ });
  await plot.scrollIntoViewIfNeeded();
  await picture("dataset");

  await page.goto("/events");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await picture("events");

  await page.goto("/login");
  await expect(page.getByRole("button", { name: "Institution Login" })).toBeEnabled();
  await picture("login");

  const name = "Spikes and argon, a first look";
  await openAs(page, people.researcher, "/add");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await picture("add");
  await openDemoRepository(page);
  await fillDialog(page, name);
  const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tab, "first-steps", "data");
  await tab.close();
  await page.goto("/sessions");
  await expectStatus(page, name, "RUNNING");
  await picture("sessions");
  await deleteSession(page, cairn, name);
});
