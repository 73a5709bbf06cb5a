import type { Browser, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { expectIdle } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { openDemoRepository } from "../support/sessions";
import { expect, test } from "../support/test";

const name = "Spikes for beginners";

/** Looks at a page at both widths. */
async function look(page: Page, path: (name: string) => string, shown: string): Promise<void> {
  const size = page.viewportSize();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: path(`${shown}-${width}.png`), fullPage: true });
  }
  if (size) await page.setViewportSize(size);
}

/** Joins as a guest in a browser of their own, and opens the notebook. */
async function join(browser: Browser, link: string, typed: string, width: number) {
  const context = await browser.newContext({ viewport: { width, height: 844 } });
  const page = await context.newPage();
  await page.goto(link);
  await expect(page).toHaveURL(/\/join\/\w+$/); // the code is out of the address
  await expect(page.getByText("They never see your code, outputs or files")).toBeVisible();
  await page.getByLabel("Your name").fill(typed);
  await page.getByRole("button", { name: "Join", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Your seat" })).toBeVisible();
  return { context, page };
}

/** Opens the notebook of a seat. */
async function enter(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Open the notebook" }).click();
  await expect(page).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  await expectIdle(page);
}

/** Runs the first code cell of a notebook, with other code in it if that is given. */
async function runFirstCell(notebook: Page, code?: string): Promise<void> {
  await notebook.evaluate((written) => {
    // biome-ignore lint/suspicious/noExplicitAny: Jupyter's page has no types.
    const { notebook: open } = (globalThis as any).Jupyter;
    // biome-ignore lint/suspicious/noExplicitAny: likewise.
    const cell = open.get_cells().find((one: any) => one.cell_type === "code");
    if (written) cell.set_text(written);
    cell.execute();
  }, code);
}

/** Returns the slug of the event that is expanded first. */
async function firstEvent(page: Page): Promise<string> {
  const document = await (await page.request.get("/events")).text();
  return /<details id="([^"]+)"/.exec(document)?.[1] ?? "";
}

test("a workshop, from its preparation to the report", async ({ page, browser }, info) => {
  test.slow();
  const path = info.outputPath.bind(info);

  await test.step("a host prepares it, and opens it early", async () => {
    await openAs(page, people.researcher, "/add");
    await openDemoRepository(page);
    await page.getByRole("link", { name: "Prepare a workshop" }).click();
    await expect(page).toHaveURL(/\/workshops\/new\?/);
    await page.goto(`${page.url()}&event=${await firstEvent(page)}`);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Seats", { exact: true }).fill("3");
    await page.getByLabel("Date", { exact: true }).fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
    await page.getByLabel("From", { exact: true }).fill("09:00");
    await page.getByLabel("To", { exact: true }).fill("12:00");
    await expect(page.getByText("There is room for all 3 seats.")).toBeVisible();
    await look(page, path, "form");
    await page.getByRole("button", { name: "Prepare", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await page.getByRole("button", { name: "Open now" }).click();
    await expect(page.getByText(/People can join until/)).toBeVisible();
    await look(page, path, "workshop");
  });
  const [workshop] = await callAs<{ id: string; joinUrl: string; code: string }[]>(page, "GET", "/workshops");
  if (!workshop) throw new Error("no workshop was prepared");

  await test.step("the code is on the wall", async () => {
    await page.getByRole("link", { name: "Show the code" }).click();
    await expect(page.getByText("0 of 3 are in")).toBeVisible();
    for (const word of workshop.code.split(" ")) await expect(page.getByText(word, { exact: true })).toBeVisible();
    await look(page, path, "screen");
  });

  const phone = await join(browser, workshop.joinUrl, "Ada", 390);
  await look(phone.page, path, "seat");
  const laptop = await join(browser, workshop.joinUrl, "Grace <b>Hopper</b>", 1280);
  await test.step("a reload brings the same seat back", async () => {
    await phone.page.reload();
    await expect(phone.page.getByText("You have seat 1")).toBeVisible();
    await phone.page.getByRole("button", { name: "Go back in" }).click();
    await expect(phone.page).toHaveURL(/\.ipynb$|launch|\/s\//, { timeout: 60_000 });
  });
  await enter(laptop.page);
  await expect(phone.page).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  await expectIdle(phone.page);

  const seat = (number: number) => page.getByRole("button", { name: new RegExp(`^Seat ${number}\\b`, "i") });
  await test.step("the board shows who is where, who is stuck, and who wants help", async () => {
    await page.goto(`/workshops/${workshop.id}/board`);
    await expect(page.getByText("2 seats are taken").first()).toBeVisible();
    await runFirstCell(phone.page);
    await runFirstCell(laptop.page, "secret = 1 / 0");
    await expect(page.getByText("error in cell 1: ZeroDivisionError").first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText(/cell 1 of \d+/).first()).toBeVisible();
    await laptop.page.getByRole("button", { name: "Raise hand" }).click();
    await expect(laptop.page.getByText("Your hand is up: the host sees it.")).toBeVisible();
    await expect(page.getByText(/Waits longest: seat 2, Grace <b>Hopper<\/b>/)).toBeVisible({ timeout: 30_000 });
    await look(page, path, "board");
  });

  await test.step("the host tells all something, hands out a file, and is let in", async () => {
    await page.getByLabel("Message to everybody").fill("We go on at <i>eleven</i>.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "more.csv", mimeType: "text/csv", buffer: Buffer.from("1,2\n") });
    await page.getByRole("button", { name: "Hand out", exact: true }).click();
    for (const { page: theirs } of [phone, laptop]) {
      await expect(theirs.getByText("From the host: We go on at <i>eleven</i>.")).toBeVisible({ timeout: 30_000 });
      await expect(theirs.getByText(/more\.csv/).first()).toBeVisible({ timeout: 60_000 });
    }
    await phone.page.screenshot({ path: path("notebook-390.png") });
    await laptop.page.screenshot({ path: path("notebook-1280.png") });
    await expect(page.getByText(/2 seats have it|2 of 2/).first()).toBeVisible({ timeout: 30_000 });

    await seat(2).first().click();
    await page.getByRole("button", { name: "Ask to see" }).click();
    await laptop.page.getByRole("button", { name: "Let in" }).click({ timeout: 30_000 });
    await expect(page.getByRole("link", { name: "See", exact: true })).toBeVisible({ timeout: 60_000 });
    await page.keyboard.press("Escape");
  });

  await test.step("it ends, everybody has their work, and the host a report", async () => {
    await page.goto(`/workshops/${workshop.id}`);
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Now").check();
    await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
    await expect(page.getByRole("link", { name: "Report" })).toBeVisible({ timeout: 60_000 });
    await page.getByRole("link", { name: "Report" }).click();
    await expect(page.getByText("2 of 3 seats were taken.").first()).toBeVisible();
    await expect(page.getByText(/ZeroDivisionError/).first()).toBeVisible();
    await look(page, path, "report");

    const own = await phone.context.newPage();
    await own.goto(workshop.joinUrl);
    await expect(own.getByText("This workshop has ended").first()).toBeVisible();
    const download = own.waitForEvent("download");
    await own.getByRole("button", { name: /work/i }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
    await look(own, path, "ended");
    await own.goto("/events");
    await expect(own.getByText(/^This took place with /)).toBeVisible();
    await own.screenshot({ path: path("events.png"), fullPage: true });
  });

  await test.step("nothing is left", async () => {
    await callAs(page, "DELETE", `/workshops/${workshop.id}`);
    await phone.context.close();
    await laptop.context.close();
  });
});
