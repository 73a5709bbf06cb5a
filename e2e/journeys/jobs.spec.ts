import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/test";

/** Waits until the job whose page is open has ended well. */
const done = (page: Page) => expect(page.getByText("Done", { exact: true }).first()).toBeVisible({ timeout: 180_000 });

/** Looks at a page at both widths. */
async function look(page: Page, path: (name: string) => string, name: string): Promise<void> {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: path(`${name}-${width}.png`), fullPage: true });
  }
}

test("a notebook is executed with other values, and compared with the time before", async ({ page }, info) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  const [entry] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?type=NOTEBOOK&name=rhythm");
  const first = await callAs<{ id: string }>(page, "POST", "/jobs", { resourceId: entry?.id });
  const state = async () => (await callAs<{ state: string }>(page, "GET", `/jobs/${first.id}`)).state;
  await expect.poll(state, { timeout: 180_000 }).toBe("DONE");

  await page.goto(`/resources/notebooks/${entry?.id}`);
  await page.getByRole("link", { name: "Run with …" }).click();
  const rhythm = page.getByLabel("rhythm", { exact: true });
  await expect(rhythm).toHaveValue("8");
  await rhythm.fill("11");
  await page.getByLabel("duration", { exact: true }).fill("60");
  await look(page, info.outputPath.bind(info), "form");
  await page.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
  await expect(page).toHaveURL(/\/jobs\/[0-9a-f-]{36}$/);
  await done(page);
  await expect(page.getByRole("heading", { name: "Compared with the job before" })).toBeVisible();
  await expect(page.getByText("power at 11 Hz").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("power at 8 Hz").first()).toBeVisible();
  await look(page, info.outputPath.bind(info), "job");
  const address = page.url();

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Job restored")).toBeVisible();
  await page.goto(address);
  await done(page);
});

test("a schedule is made, paused and deleted", async ({ page }, info) => {
  await openAs(page, people.researcher, "/add");
  const [entry] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?type=NOTEBOOK&name=rhythm");
  await page.goto(`/jobs/new?resource=${entry?.id}`);
  await page.getByLabel("How often").selectOption("Every week");
  await page.getByLabel("Day of the week").selectOption("Monday");
  await page.getByLabel("Time", { exact: true }).fill("03:00");
  await page.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(page).toHaveURL(/\/jobs$/);
  const schedules = page.getByRole("list", { name: "Schedules" });
  await expect(schedules.getByText(/^Every Monday at 03:00/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Notifications" }).getByText("Scheduled")).toHaveCount(0); // axe would see it fade
  await look(page, info.outputPath.bind(info), "schedules");
  await page.getByRole("button", { name: /^Pause/ }).click();
  await expect(page.getByRole("button", { name: /^Resume/ })).toBeVisible();
  await page.getByRole("button", { name: /^Delete the schedule/ }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Nothing is scheduled.")).toBeVisible();
});
