import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Request } from "@playwright/test";
import { callAs, startByCall } from "../support/calls";
import { openAs, people } from "../support/people";
import { deleteAllSessions, expectStatus, sessionCard, showSessions, typeName } from "../support/sessions";
import { expect, projects, test } from "./fixtures";

/** What was deleted recently isn't polled, and has the same path. */
const isPoll = (request: Request) => request.method() === "GET" && request.url().endsWith("/sessions");

/** Records a page's polls: the status of each answer, or undefined when none came. */
function watchPolls(page: Page): (number | undefined)[] {
  const polls: (number | undefined)[] = [];
  page.on("response", (response) => {
    if (isPoll(response.request())) polls.push(response.status());
  });
  page.on("requestfailed", (request) => {
    if (isPoll(request)) polls.push(undefined);
  });
  return polls;
}

interface Poll {
  /** When the page sent a request and when it was answered or failed, in milliseconds of the page's clock. */
  asked: number;
  answered?: number;
  /** Undefined when no answer came. */
  status?: number;
}

/** Makes later documents record their polls themselves, because this process would notice them too late. */
async function notePolls(page: Page): Promise<() => Promise<Poll[]>> {
  await page.addInitScript(() => {
    const noted: Poll[] = [];
    Object.assign(window, { noted });
    const { fetch } = window;
    window.fetch = async (...call) => {
      const [request] = call;
      if (!(request instanceof Request) || request.method !== "GET" || !request.url.endsWith("/sessions")) return fetch(...call);
      const poll: Poll = { asked: Date.now() };
      noted.push(poll);
      try {
        const response = await fetch(...call);
        poll.status = response.status;
        return response;
      } finally {
        poll.answered = Date.now();
      }
    };
  });
  return () => page.evaluate(() => (window as unknown as { noted: Poll[] }).noted);
}

/** Returns how long the page waited after each answer before its next request. */
function pauses(polls: Poll[]): number[] {
  return polls.slice(1).map(({ asked }, index) => asked - (polls[index]?.answered ?? asked));
}

/** Tells the page that its tab is hidden or shown again, as the browser would. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (value ? "hidden" : "visible") });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, hidden);
}

/** How far the page's clock is advanced at a time. */
const tick = 500;

/** Advances the page's stopped clock until so many more polls were sent and answered. */
async function passPolls(page: Page, noted: () => Promise<Poll[]>, count: number): Promise<Poll[]> {
  const before = (await noted()).length;
  let since: Poll[] = [];
  const settled = () => since.every(({ answered }) => answered !== undefined);
  await expect(async () => {
    // While an answer is pending the page's clock stands still, or the page would abort the request.
    if (settled()) await page.clock.runFor(tick);
    since = (await noted()).slice(before);
    expect(settled() && since.length >= count).toBe(true);
  }).toPass({ intervals: [50] });
  return since;
}

test("the list is asked for every 2 s by its tag, not in a hidden tab, and no more after a 401", async ({
  page,
  cairn,
  watch,
}) => {
  await page.clock.install();
  const noted = await notePolls(page);
  await openAs(page, people.researcher, "/sessions");
  await expect(page.getByText("No sessions found.")).toBeVisible();
  await startByCall(page, projects.lost, "Polled");
  await expectStatus(page, "Polled", "ERROR");
  const polls = watchPolls(page);

  await test.step("every 2 s, and an unchanged list is an empty 304", async () => {
    await page.clock.pauseAt(Date.now() + 60_000);
    const four = await passPolls(page, noted, 4);
    expect([...new Set(four.map(({ status }) => status))]).toEqual([304]);
    for (const pause of pauses(four)) {
      expect(pause).toBeGreaterThanOrEqual(2_000);
      expect(pause).toBeLessThanOrEqual(2_000 + 2 * tick);
    }
    await expect(sessionCard(page, "Polled")).toBeVisible();
  });

  await test.step("a poll that the computer slept through is made up for soon", async () => {
    watch.expects(/cannot be brought up to date/);
    await page.route(/\/rf\/sessions$/, () => {});
    const before = (await noted()).length;
    await expect(async () => {
      await page.clock.runFor(tick);
      expect((await noted()).length).toBe(before + 1);
    }).toPass({ intervals: [50] });
    await page.clock.fastForward("02:00");
    await expect.poll(async () => (await noted()).at(-1)?.answered).toBeDefined();
    await page.unrouteAll();
    const [pause = 0] = pauses([(await noted()).at(-1) ?? { asked: 0 }, ...(await passPolls(page, noted, 1))]);
    expect(pause).toBeLessThanOrEqual(2_000 + 2 * tick);
  });

  await test.step("a hidden tab does not ask; shown again it asks at once", async () => {
    await setHidden(page, true);
    const before = (await noted()).length;
    await page.clock.runFor(20_000);
    expect((await noted()).length).toBe(before);
    await callAs(page, "DELETE", `/sessions/${(await callAs<{ id: string }[]>(page, "GET", "/sessions"))[0]?.id}`);
    await expect(sessionCard(page, "Polled")).toBeVisible();
    polls.length = 0;
    await setHidden(page, false);
    await expect.poll(() => polls).toEqual([200]);
    // Reading the answer's content takes longer: the page's clock has to advance after that.
    await expect(async () => {
      await page.clock.runFor(100);
      await expect(page.getByText("No sessions found.")).toBeVisible({ timeout: 500 });
    }).toPass();
  });

  await test.step("after a refusal it asks no more", async () => {
    watch.expects(/status of 401/, /net::ERR_/, /cannot be brought up to date/, /could not be renewed/, /400/);
    await cairn.stop();
    // The identity provider's keys and storage: every earlier token is rejected from now on.
    await rm(join(cairn.dataDir, "idp"), { recursive: true });
    await cairn.restart();
    polls.length = 0;
    await expect(async () => {
      await page.clock.runFor(2_000);
      expect(polls.includes(401)).toBe(true);
    }).toPass();
    await expect(page.getByText("You have been signed out")).toBeVisible();
    polls.length = 0;
    await page.clock.runFor(60_000);
    expect(polls).toEqual([]);
  });
});

test("an outage is said in place and logged, nothing is lost by it, and it heals by itself @all", async ({
  page,
  cairn,
  watch,
}) => {
  await page.clock.install();
  const noted = await notePolls(page);
  await openAs(page, people.researcher, "/sessions");
  for (const name of ["First", "Second"]) {
    await startByCall(page, projects.lost, name);
    await expectStatus(page, name, "ERROR");
  }
  const notice = page.getByRole("status").filter({ hasText: "couldn't be refreshed" });
  watch.expects(/net::ERR_/, /The sessions cannot be brought up to date/);
  await page.clock.pauseAt(Date.now() + 60_000);
  await expect.poll(async () => (await noted()).at(-1)?.answered, "an answer after the jump of the clock").toBeDefined();
  await cairn.kill9();

  await test.step("it asks ever less often", async () => {
    const [first = 0, second = 0, third = 0] = pauses(await passPolls(page, noted, 4));
    expect(second, "doubled").toBeGreaterThan(1.5 * first);
    expect(third, "doubled").toBeGreaterThan(1.5 * second);
    await page.clock.resume();
    await expect(notice).toContainText("Retrying automatically.");
    await expect(notice.getByRole("button", { name: "Retry now" })).toBeVisible();
    await watch.saw(/console: The sessions cannot be brought up to date/);
  });

  await test.step("a session that cannot be stopped is not shown as stopped", async () => {
    await sessionCard(page, "First").getByRole("button", { name: "Terminate" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Error terminating session" });
    await expect(alert).toContainText("The server cannot be reached.");
    await expect(sessionCard(page, "First").getByText("ERROR", { exact: true })).toBeVisible();
  });

  await test.step("cards that cannot be deleted come back with the reason", async () => {
    for (const [title, reason, remove] of [
      ["Error deleting session", "The server cannot be reached.", () => typeName(page, "Second")],
      ["Error", "Failed to delete all sessions", () => deleteAllSessions(page)],
    ] as const) {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/api/v1/rf/sessions/**", async (route) => {
        await held;
        await route.continue();
      });
      await remove();
      await expect(sessionCard(page, "Second")).toHaveCount(0);
      release();
      const alert = page.getByRole("alert").filter({ has: page.getByText(title, { exact: true }) });
      await expect(alert).toContainText(reason);
      for (const name of ["First", "Second"]) await expect(sessionCard(page, name)).toBeVisible();
      await page.unrouteAll({ behavior: "wait" });
    }
  });

  await test.step("and shows the truth when there is an answer again", async () => {
    await cairn.restart();
    await page.clock.fastForward(60_000);
    await expect(notice).toHaveCount(0);
    await expectStatus(page, "First", "ERROR");
    await deleteAllSessions(page);
    await expect(page.getByText("Sessions deleted")).toBeVisible();
    await showSessions(page, "All");
    await expect(page.getByText("No sessions found.")).toBeVisible();
  });
});

test("a stop that takes long is STOPPING until it has happened @all", async ({ page }) => {
  await openAs(page, people.researcher, "/sessions");
  await startByCall(page, projects.lost, "Slow to stop");
  await expectStatus(page, "Slow to stop", "ERROR");
  // The server's answer when an engine needs longer than 8 s; the real session is stopped only at the end.
  const card = sessionCard(page, "Slow to stop");
  const session = (await callAs<object[]>(page, "GET", "/sessions"))[0];
  const underWay = { ...session, status: "RUNNING", requestedStatus: "TERMINATED" };
  await page.route(/\/sessions(\/[0-9a-f-]{36}\?status=TERMINATED)?$/, (route) => {
    const list = route.request().method() === "GET";
    return route.fulfill({ status: list ? 200 : 202, json: list ? [underWay] : underWay });
  });
  await expect(card.getByText("STOPPING", { exact: true })).toBeVisible();
  await expect(card.getByRole("button", { name: "Terminate" })).toHaveAttribute("aria-busy", "true");
  await page.unrouteAll({ behavior: "wait" });
  await expect(card.getByText("ERROR", { exact: true })).toBeVisible();
  await typeName(page, "Slow to stop");
  await expect(page.getByText("Session deleted")).toBeVisible();
});
