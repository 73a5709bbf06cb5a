import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { watchFirstPaint } from "../support/paint";
import { expect, expectRenewed, foreignJwtRefresh, listInterrupted, storedUser, test, untilRenewal, userMenu } from "./fixtures";

const discovery = "/.well-known/openid-configuration";

test.use({ setup: foreignJwtRefresh });

for (const disturbance of ["unavailable", "nonsense"] as const) {
  test.describe(`with a discovery document that is ${disturbance}`, () => {
    test.beforeEach(async ({ provider, watch }) => {
      provider.levers.disturb({ [discovery]: disturbance });
      // It is logged, nothing else.
      watch.expects(/status of 503 .*openid-configuration/, /The sign-in could not be|Sign-in is unavailable/);
    });

    test("public pages work @all", async ({ page }) => {
      await page.goto("/");
      await page.getByRole("main").getByRole("link", { name: "Browse the catalog" }).click();
      await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
      await expect(page.getByText("Loading OIDC configuration...")).toHaveCount(0);
      await page.goto("/events");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
    });

    test("the login button says so and recovers by itself @all", async ({ page, context, provider }) => {
      await context.clock.install();
      await page.goto("/resources/starred");
      await expect(page).toHaveURL("/login?redirect=%2Fresources%2Fstarred");
      const again = page.getByRole("button", { name: "Try again" });
      const unavailable = page.getByRole("main").getByRole("alert");
      await expect(unavailable.getByText("Sign-in is unavailable.", { exact: true })).toBeVisible();
      await expect(unavailable.getByText(/Retrying automatically; you can browse the catalog/)).toBeVisible();
      await expectAccessible(page);
      await again.click();
      await expect(page.getByText("The sign-in service cannot be reached.").first()).toBeVisible();
      await expect(again).toBeEnabled();
      await expect(page).toHaveURL("/login?redirect=%2Fresources%2Fstarred");

      provider.levers.disturb({});
      await context.clock.fastForward(61_000);
      await page.getByRole("button", { name: "Institution Login" }).click();
      await provider.enter(page, provider.first);
      await expect(page).toHaveURL("/resources/starred");
      await expect(userMenu(page, provider.first)).toBeVisible();
    });

    test("pressing the login button again is enough once it answers @all", async ({ page, provider }) => {
      await page.goto("/login");
      const again = page.getByRole("button", { name: "Try again" });
      await expect(again).toBeVisible();
      provider.levers.disturb({});
      await again.click();
      await provider.enter(page, provider.first);
      await expect(page).toHaveURL("/");
      await expect(userMenu(page, provider.first)).toBeVisible();
    });
  });
}

test("where the sign-in configuration is awaited it says so, and public pages do not wait", async ({ page, provider }) => {
  const { moved } = await watchFirstPaint(page, "Loading OIDC configuration...");
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`${provider.levers.url}${discovery}`, async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto("/");
  await expect(page.getByRole("main").getByRole("link", { name: "Browse the catalog" })).toBeVisible();
  await page.goto("/login?redirect=%2Fsessions");
  await expect(page.getByText("Loading OIDC configuration...")).toBeVisible();
  answer();
  await expect(page.getByRole("button", { name: "Institution Login" })).toBeEnabled();

  await test.step("then it says who asks for the password, and where it leads", async () => {
    await expect(page.getByText(`You'll sign in at ${new URL(provider.levers.url).host}, then return here.`)).toBeVisible();
    await expect(page.getByText("Sign in to see your sessions.")).toBeVisible();
    await expect(page.getByText(/^New here\? .* operators@institution\.example may need to enable it/)).toBeVisible();
    await expect(page.getByRole("link", { name: "Browse the catalog without signing in" })).toHaveAttribute("href", "/resources");
    expect(await moved(), "layout shift").toBeLessThan(0.02);
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
  });
});

test("keys that can't be fetched don't sign anybody out", async ({ page, context, cairn, provider, watch }) => {
  watch.expects(/net::ERR_/, /status of 503 .*\/rf\//, listInterrupted);
  await context.clock.install();
  await provider.open(page, provider.first, "/sessions");
  await expect(page.getByText("No sessions found.")).toBeVisible();
  const before = (await storedUser(page))?.access_token;
  provider.levers.disturb({ "/keys": "unavailable" });
  // It forgets its cached keys.
  await cairn.restart();
  const refused = await page.waitForResponse((one) => one.url().includes("/rf/sessions") && one.status() >= 400);
  expect(refused.status()).toBe(503);
  expect(Number(refused.headers()["retry-after"])).toBeGreaterThan(0);

  provider.levers.disturb({});
  // It also forgets the failed attempt, and asks again immediately.
  await cairn.restart();
  let answered = false;
  page.on("response", (one) => {
    answered ||= one.url().includes("/rf/sessions") && one.status() < 400;
  });
  await expect(async () => {
    await context.clock.fastForward(10_000);
    expect(answered).toBe(true);
  }).toPass();
  await expect(userMenu(page, provider.first)).toBeVisible();
  await expect(page).toHaveURL("/sessions");
  expect((await storedUser(page))?.access_token).toBe(before);
});

test("a key that the provider signs with from now on is known at once @all", async ({ page, context, provider, watch }) => {
  watch.expects(listInterrupted);
  await context.clock.install();
  await provider.open(page, provider.first, "/sessions");
  await expect(page.getByText("No sessions found.")).toBeVisible();
  const before = (await storedUser(page))?.access_token ?? "";
  await provider.levers.rotateKeys();
  await context.clock.fastForward(untilRenewal);
  const renewed = await expectRenewed(page, before);
  const call = await page.waitForResponse((one) => one.request().headers().authorization === `Bearer ${renewed}`);
  expect(call.status()).toBeLessThan(400);
  await expect(page).toHaveURL("/sessions");
  await expect(userMenu(page, provider.first)).toBeVisible();
});

test("a provider that is down when somebody signs out ends the sign-in here, and says what is left @all", async ({
  page,
  provider,
  watch,
}) => {
  watch.expects(/status of 503 .*openid-configuration/, /Signed out here only/);
  await provider.open(page, provider.first, "/resources/starred");
  await page.reload();
  await expect(userMenu(page, provider.first)).toBeVisible();
  provider.levers.disturb({ [discovery]: "unavailable" });
  await userMenu(page, provider.first).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page.getByText("Signed out here only")).toBeVisible();
  expect(await storedUser(page)).toBeNull();
  await page.goto("/resources");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
});
