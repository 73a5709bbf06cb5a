import { expect, expectRenewed, foreignSetups, listInterrupted, renewal, storedUser, tagsOf, test, userMenu } from "./fixtures";

test.beforeEach(async ({ watch }) => {
  // The server is restarted in between, because it caches valid tokens for a while.
  watch.expects(/net::ERR_/, /status of 401 .*\/rf\//, listInterrupted);
});

for (const setup of foreignSetups.filter((one) => renewal(one) !== "none")) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });

    test("a token that is refused is renewed, once, and the page goes on", async ({ page, cairn, provider }) => {
      await provider.open(page, provider.first, "/sessions");
      await expect(page.getByText("No sessions found.")).toBeVisible();
      const before = (await storedUser(page))?.access_token ?? "";
      await provider.levers.endAccessTokens();
      provider.levers.forgetRequests();
      await cairn.restart();

      const renewed = await expectRenewed(page, before);
      const call = await page.waitForResponse(
        (answer) => answer.request().headers().authorization === `Bearer ${renewed}` && answer.url().includes("/rf/sessions"),
      );
      expect(call.status()).toBeLessThan(400);
      await expect(userMenu(page, provider.first)).toBeVisible();
      await expect(page).toHaveURL("/sessions");
      const requests = Object.entries(provider.levers.requests());
      const tokens = requests.filter(([what]) => what.startsWith("POST /token")).map(([, count]) => count);
      expect(tokens, "requests for tokens").toEqual([1]);
    });
  });
}

for (const setup of foreignSetups) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });

    test("a token that is refused and cannot be renewed ends the sign-in with a notice @all", async ({
      page,
      context,
      cairn,
      provider,
      watch,
    }) => {
      watch.expects(/status of 400 .*\/token/);
      await context.clock.install();
      await provider.open(page, provider.first, "/sessions");
      await expect(page.getByText("No sessions found.")).toBeVisible();
      await provider.levers.endAccessTokens();
      provider.levers.endLogins();
      await cairn.restart();

      await expect(page).toHaveURL("/login?redirect=%2Fsessions");
      await expect(page.getByText("You have been signed out")).toBeVisible();
      expect(await storedUser(page)).toBeNull();

      const calls: string[] = [];
      page.on("request", (one) => {
        if (one.headers().authorization !== undefined) calls.push(one.url());
      });
      await context.clock.fastForward(30_000);
      await page.getByRole("button", { name: "Institution Login" }).click();
      await provider.expectLoginPage(page);
      expect(calls, "calls with a dead token").toEqual([]);
      await provider.enter(page, provider.first);
      await expect(page).toHaveURL("/sessions");
    });
  });
}
