import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { expectIdle, runCell, save } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { deleteAllSessions, newTab, openDemoRepository, sessionCard } from "../support/sessions";
import { expect, test } from "../support/test";

/** Looks at a page at both widths. */
async function look(page: Page, path: (name: string) => string, name: string): Promise<void> {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished))); // axe would see a dialog fade in
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: path(`${name}-${width}.png`), fullPage: true });
  }
}

/** Shares the session whose form is open. */
async function share(page: Page, level: string, email?: string): Promise<void> {
  const form = page.getByRole("dialog");
  if (email) await form.getByRole("textbox", { name: "E-mail address" }).fill(email);
  else await form.getByLabel("Whoever has a link").check();
  await form.getByRole("radio", { name: level }).first().check();
  await form.getByRole("button", { name: "Share", exact: true }).click();
}

const endWith = (page: Page, whom: string) => page.getByRole("button", { name: `End sharing with ${whom}` }).click();

test("two people see each other's work in one session, and lose the right to it", async ({
  page,
  browser,
  cairn,
}, info) => {
  test.slow();
  const path = info.outputPath.bind(info);
  await openAs(page, people.researcher, "/add");
  await openDemoRepository(page);
  const run = page.getByRole("main").getByRole("button", { name: "Run", exact: true });
  const notebook = await newTab(page, run);
  await expect(notebook).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  await expectIdle(notebook);
  const [session] = await callAs<{ id: string; sessionName: string }[]>(page, "GET", "/sessions/");
  if (!session) throw new Error("no session was started");
  const context = await browser.newContext({ baseURL: cairn.url });
  const other = await context.newPage();
  const { email, name } = people.colleague;

  await test.step("the colleague sees what the owner runs, and loses the right", async () => {
    await page.goto("/sessions");
    await sessionCard(page, session.sessionName)
      .getByRole("button", { name: /^Share/ })
      .click();
    await expect(page.getByRole("dialog").getByText("Only you can see this session.")).toBeVisible();
    await look(page, path, "share");
    await share(page, "See it", email);
    await expect(page.getByRole("dialog").getByText("Can see it")).toBeVisible();

    await openAs(other, people.colleague, "/sessions");
    await other.getByRole("link", { name: /^See/ }).first().click();
    await expect(other).toHaveURL(`/sessions/${session.id}/see`);
    await expect(other.getByText("Live", { exact: true })).toBeVisible({ timeout: 30_000 });
    await runCell(notebook, 'print("shown " * 2 + "to others")', "shown shown to others");
    await expect(other.getByText("shown shown to others")).toBeVisible({ timeout: 30_000 });
    await look(other, path, "see");
    const inside = await context.newPage();
    expect((await inside.goto(notebook.url()))?.status()).toBe(401);
    await inside.close();

    await endWith(page, email);
    await expect(other.getByRole("heading", { name: "You can no longer see this session." })).toBeVisible({ timeout: 30_000 });
    await look(other, path, "ended");
  });

  await test.step("the colleague asks to be let in, and works in the session", async () => {
    await other.goto(`/sessions/${session.id}/see`);
    await other.getByRole("button", { name: "Ask", exact: true }).click();
    await page.goto("/sessions");
    await page.getByRole("button", { name: `Let in ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText("Whoever works in your session does so with your rights in it.")).toBeVisible();
    await look(page, path, "let-in");
    await dialog.getByRole("button", { name: "Let in", exact: true }).click();
    await expect(dialog).toBeHidden();

    await other.goto(`/sessions/${session.id}/open`);
    await expect(other).toHaveURL(/\/s\//, { timeout: 60_000 });
    await other.goto(notebook.url());
    await expectIdle(other);
    const bar = other.locator("cairn-session-strip");
    await expect(bar.getByText(`You’re in ${people.researcher.name}’s session`)).toBeVisible();
    await expect(bar.getByRole("button", { name: "Stop", exact: true })).toBeHidden();
    await expect(notebook.locator("cairn-session-strip").getByText(`${name} (working)`)).toBeVisible({
      timeout: 60_000,
    });
    for (const [who, at] of [
      ["owner", notebook],
      ["guest", other],
    ] as const)
      await at.screenshot({ path: path(`${who}.png`) });
  });

  await test.step("both versions of a file are kept that both save", async () => {
    await save(notebook);
    await other.evaluate(() => Jupyter.notebook.save_notebook(false));
    await expect(other.locator("cairn-session-strip").getByText("Somebody else had saved this file")).toBeVisible({
      timeout: 30_000,
    });
    await other.screenshot({ path: path("kept.png") });
  });

  await test.step("the end cuts what is open, and the owner sees who was there", async () => {
    await page.goto(`/sessions/${session.id}/share`);
    await look(page, path, "share-page");
    await endWith(page, email);
    await expect(other.getByText("This session isn't shared with you any longer, or it was deleted.")).toBeVisible({
      timeout: 60_000,
    });
    await other.screenshot({ path: path("cut.png") });
    await page.goto("/account/activity");
    await expect(page.getByText(email).first()).toBeVisible();
  });
  await context.close();
  await notebook.close({ runBeforeUnload: false });
  await page.goto("/sessions");
  await deleteAllSessions(page);
});

declare const Jupyter: { notebook: { save_notebook(check: boolean): Promise<void> } };

test("a link leads to the session, and its secret is nowhere else", async ({ page, browser, cairn }) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  await openDemoRepository(page);
  const run = page.getByRole("main").getByRole("button", { name: "Run", exact: true });
  const notebook = await newTab(page, run);
  await expect(notebook).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  const [session] = await callAs<{ id: string }[]>(page, "GET", "/sessions/");
  const { url } = await callAs<{ url: string }>(page, "POST", `/sessions/${session?.id}/shares`, {
    with: { link: true },
    can: "see",
  });
  const secret = url.split("#")[1] ?? "";
  expect(secret).not.toBe("");

  const context = await browser.newContext({ baseURL: cairn.url });
  const other = await context.newPage();
  const sent: string[] = [];
  other.on("request", (request) => sent.push(`${request.url()} ${request.headers().referer ?? ""}`));
  await openAs(other, people.colleague, "/");
  await other.goto(url);
  await expect(other).toHaveURL(`/sessions/${session?.id}/see`, { timeout: 30_000 });
  await expect(other.getByText("Live", { exact: true })).toBeVisible({ timeout: 30_000 });
  expect(sent.filter((one) => one.includes(secret))).toEqual([]);
  await other.goBack();
  expect(other.url()).not.toContain(secret);
  await context.close();
  await notebook.close({ runBeforeUnload: false });
  await page.goto("/sessions");
  await deleteAllSessions(page);
});
