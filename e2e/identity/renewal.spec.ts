import type { Request } from "@playwright/test";
import { defaultName, demoProjectCard, newSessionDialog, openDemoRepository } from "../support/sessions";
import {
  embedded,
  expect,
  expectRenewed,
  foreignSetups,
  listInterrupted,
  renewal,
  storedUser,
  tagsOf,
  test,
  untilRenewal,
  userMenu,
} from "./fixtures";

const bears = (request: Request, token: string) => request.headers().authorization === `Bearer ${token}`;

const setups = [embedded, ...foreignSetups];

// The tests advance it.
test.beforeEach(async ({ context, watch }) => {
  await context.clock.install();
  watch.expects(listInterrupted);
});

for (const setup of setups.filter((one) => renewal(one) !== "none")) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });
    const by = renewal(setup);

    test("a sign-in is renewed before it ends, unseen", async ({ page, context, provider }) => {
      const answers = provider.watchRefreshes(context);
      await provider.open(page, provider.first, "/sessions");
      const before = await storedUser(page);
      expect(before?.refresh_token !== undefined).toBe(by === "refresh token");
      const hidden =
        by === "hidden frame" &&
        page.waitForRequest((one) => one.frame() !== page.mainFrame() && one.url().includes("prompt=none"));

      await context.clock.fastForward(untilRenewal);
      const renewed = await expectRenewed(page, before?.access_token ?? "");
      await hidden;
      expect(answers).toEqual(by === "refresh token" ? [200] : []);
      const call = await page.waitForRequest((one) => one.url().includes("/rf/sessions"));
      expect(call.headers().authorization).toBe(`Bearer ${renewed}`);
      expect((await call.response())?.status()).toBeLessThan(400);
      await expect(userMenu(page, provider.first)).toBeVisible();
      await expect(page).toHaveURL("/sessions");

      // The second token works like the first one.
      await context.clock.fastForward(untilRenewal);
      await expectRenewed(page, renewed);
      expect(answers).toEqual(by === "refresh token" ? [200, 200] : []);
    });

    test("five tabs renew at once, and the provider is asked once @all", async ({ page, context, provider }) => {
      const answers: number[] = [];
      context.on("response", (answer) => {
        const request = answer.request();
        if (request.method() === "POST" && request.url().endsWith("/token") && provider.owns(request.url())) {
          answers.push(answer.status());
        }
      });
      await provider.open(page, provider.first, "/sessions");
      const tabs = [page];
      while (tabs.length < 5) {
        const tab = await context.newPage();
        await tab.goto("/sessions");
        await expect(tab.getByText("No sessions found.")).toBeVisible();
        tabs.push(tab);
      }
      for (const round of [1, 2]) {
        const before = (await storedUser(page))?.access_token ?? "";
        answers.length = 0;
        const goesOn = tabs.map((tab) =>
          tab.waitForRequest((one) => /^Bearer /.test(one.headers().authorization ?? "") && !bears(one, before), {
            timeout: 40_000,
          }),
        );
        await context.clock.fastForward(untilRenewal);
        await Promise.all(goesOn);
        expect(answers, `answers to requests for tokens in round ${round}`).toEqual([200]);
        for (const tab of tabs) {
          await expect(userMenu(tab, provider.first)).toBeVisible();
          await expect(tab).toHaveURL("/sessions");
        }
      }
    });
  });
}

for (const setup of setups) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });

    test("what cannot be renewed keeps the page and offers to sign in @all", async ({ page, context, provider, watch }) => {
      // Chromium reports the refused refresh token.
      watch.expects(/status of 400 .*\/token/);
      await provider.open(page, provider.first, "/resources/starred");
      await openDemoRepository(page);
      const address = page.url();
      await demoProjectCard(page).getByRole("button", { name: "Start Project Session" }).click();
      const name = newSessionDialog(page).getByRole("textbox", { name: "Session name" });
      await expect(name).toHaveValue(await defaultName(page));
      await name.fill("Typed before the sign-in ended");

      provider.foreign?.endLogins();
      await page.evaluate(() => {
        // What the embedded provider, which can't be made to refuse, would have answered.
        const key = Object.keys(localStorage).find((one) => one.startsWith("oidc.user:")) ?? "";
        const user = JSON.parse(localStorage.getItem(key) ?? "{}");
        if (user.refresh_token) localStorage.setItem(key, JSON.stringify({ ...user, refresh_token: "of another time" }));
      });
      await provider.forget(context);
      await context.clock.fastForward(untilRenewal);

      const prompt = page.getByRole("dialog", { name: "You are signed out" });
      await expect(prompt).toBeVisible();
      await expect(page).toHaveURL(address);
      const opened = page.waitForEvent("popup");
      await prompt.getByRole("button", { name: "Sign in", exact: true }).click();
      const beside = await opened;
      const closed = beside.waitForEvent("close");
      await provider.enter(beside, provider.first);
      await closed;
      await expect(prompt).toHaveCount(0);
      await expect(page).toHaveURL(address);
      await expect(name).toHaveValue("Typed before the sign-in ended");
      await expect(newSessionDialog(page).getByRole("button", { name: "Create session" })).toBeEnabled();
      await page.keyboard.press("Escape");
      await expect(userMenu(page, provider.first)).toBeVisible();
    });
  });
}
