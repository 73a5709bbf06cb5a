import { expect, test, userMenu } from "./fixtures";

/** Addresses that browsers, or careless parsers, read as another site. */
const hostile = [
  "https://evil.example/",
  "//evil.example/",
  "///evil.example/",
  "/\\evil.example/",
  "\\\\evil.example/",
  "/\t/evil.example/",
  "/\n/evil.example/",
  "\t//evil.example/",
  "/.//evil.example/",
  "/..//evil.example/",
  "/%2e%2e//evil.example/",
  "https:evil.example",
  "http:/evil.example",
  "@evil.example",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "evil.example",
  "",
];

// GHSA-r726-vmfq-j9j3, CVE-2019-10255, CVE-2020-26232, CVE-2021-45328, CVE-2026-33709, CVE-2026-111931.
test("no ?redirect= leads away from the own origin (open redirect)", async ({ page, context, cairn, provider }) => {
  const away: string[] = [];
  context.on("request", (one) => {
    if (/evil\.example/.test(new URL(one.url()).host)) away.push(one.url());
  });
  context.on("dialog", (dialog) => void dialog.dismiss().then(() => away.push("a script ran")));
  // The state decides where a sign-in leads, so each address is visited once through a state.
  const addresses = new Set<unknown>();
  for (const redirect of hostile) {
    await test.step(JSON.stringify(redirect), async () => {
      await page.goto(`/login?${new URLSearchParams({ redirect })}`);
      await page.getByRole("button", { name: "Institution Login" }).click();
      await provider.expectLoginPage(page);
      const address = await page.evaluate(() => {
        const key = Object.keys(localStorage).find((one) => /^oidc\.[0-9a-f]{32}$/.test(one)) ?? "";
        return JSON.parse(localStorage.getItem(key) ?? "{}").data?.returnTo;
      });
      expect(address, "where the sign-in will lead").toMatch(/^\/(?!\/)/);
      if (!addresses.has(address)) {
        addresses.add(address);
        await provider.enter(page, provider.first);
        await expect(userMenu(page, provider.first)).toBeVisible();
        const { origin, pathname } = new URL(page.url());
        expect(origin).toBe(cairn.url);
        expect(pathname).not.toMatch(/^\/\//);
        expect(pathname).not.toBe("/oauth_callback");
      }
      await page.evaluate(() => localStorage.clear());
    });
  }
  expect(away).toEqual([]);
});

test("what the state brings back is checked again (open redirect) @all", async ({ page, context, cairn, provider }) => {
  await page.goto("/login?redirect=%2Fevents");
  await page.getByRole("button", { name: "Institution Login" }).click();
  await provider.expectLoginPage(page);
  const other = await context.newPage();
  await other.goto("/");
  const changed = await other.evaluate(() => {
    const key = Object.keys(localStorage).find((one) => /^oidc\.[0-9a-f]{32}$/.test(one)) ?? "";
    const state = JSON.parse(localStorage.getItem(key) ?? "{}");
    state.data = { returnTo: "//evil.example/" };
    localStorage.setItem(key, JSON.stringify(state));
    return key;
  });
  expect(changed).not.toBe("");
  await provider.enter(page, provider.first);
  await expect(userMenu(page, provider.first)).toBeVisible();
  expect(page.url()).toBe(`${cairn.url}/`);
});

test("an answer of the provider that nobody waits for signs nobody in (login CSRF) @all", async ({ page, watch }) => {
  watch.expects(/The sign-in could not be completed/);
  await page.goto("/oauth_callback?code=somebody-elses&state=0123456789abcdef0123456789abcdef");
  await expect(page.getByText("The sign-in was not completed.")).toBeVisible();
  await expect(page).toHaveURL("/oauth_callback");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL("/");
});

test("a sign-in that is cancelled offers another try, to the same page @all", async ({ page, context, provider, watch }) => {
  watch.expects(/The sign-in could not be completed/);
  await page.goto("/login?redirect=%2Fevents");
  const request = page.waitForRequest((one) => one.url().includes("/authorize?") && provider.owns(one.url()));
  await page.getByRole("button", { name: "Institution Login" }).click();
  const state = new URL((await request).url()).searchParams.get("state") ?? "";
  await provider.expectLoginPage(page);
  await page.goto(`/oauth_callback?${new URLSearchParams({ error: "access_denied", state })}`);
  await expect(page.getByText("It was cancelled, or refused by your institution.")).toBeVisible();
  await page.getByRole("button", { name: "Try again" }).click();
  await provider.enter(page, provider.first);
  await expect(page).toHaveURL("/events");
  expect(context.pages()).toHaveLength(1);
});
