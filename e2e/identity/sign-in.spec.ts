import { embedded, expect, foreignSetups, storedUser, tagsOf, test, userMenu } from "./fixtures";

for (const setup of [embedded, ...foreignSetups]) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });

    test("a deep link comes back whole, without code and state, and the sign-in stays", async ({
      page,
      cairn,
      provider,
    }) => {
      const link = "/sessions?status=CREATED&note=a%2Bb#projects";
      await page.goto(link);
      await expect(page).toHaveURL(`/login?${new URLSearchParams({ redirect: link })}`);
      const request = page.waitForRequest((one) => one.url().includes("/authorize?") && provider.owns(one.url()));
      await page.getByRole("button", { name: "Institution Login" }).click();
      const asked = Object.fromEntries(new URL((await request).url()).searchParams);
      expect(asked).toMatchObject({
        client_id: "data-catalog-portal",
        redirect_uri: `${cairn.url}/oauth_callback`,
        response_type: "code",
        code_challenge_method: "S256",
        prompt: "login",
        kc_idp_hint: "oidc",
      });
      await provider.enter(page, provider.first);

      await expect(page).toHaveURL(link);
      await expect(userMenu(page, provider.first)).toBeVisible();
      await expect(page.getByText("No sessions found.")).toBeVisible();
      await page.reload();
      await expect(page).toHaveURL(link);
      await expect(page.getByText("No sessions found.")).toBeVisible();
      await page.goBack();
      await expect(page).not.toHaveURL(({ pathname }) => pathname === "/oauth_callback");
    });

    test("the user menu tells name and e-mail", async ({ page, provider }) => {
      await provider.open(page, provider.second, "/resources/starred");
      await userMenu(page, provider.second).click();
      const banner = page.getByRole("banner");
      await expect(banner.getByText(provider.second.name)).toBeVisible();
      await expect(banner.getByText(provider.second.email)).toBeVisible();
    });

    test("the login page sends somebody who is signed in straight into sign-in @all", async ({ page, provider }) => {
      await provider.open(page, provider.first, "/resources/starred");
      await page.goto("/login?redirect=%2Fevents%23first");
      await provider.enter(page, provider.second);
      await expect(page).toHaveURL("/events#first");
      await expect(userMenu(page, provider.second)).toBeVisible();
    });

    test("a logout ends the provider's session too, and the other tabs notice @all", async ({
      page,
      context,
      cairn,
      provider,
      watch,
    }) => {
      // The other tab sends one more request, without a token, before it leaves.
      watch.expects(/status of 401 .*\/rf\/(sessions|projects)/);
      await provider.open(page, provider.first, "/sessions");
      const other = await context.newPage();
      await other.goto("/sessions");
      await expect(other.getByText("No sessions found.")).toBeVisible();

      const farewell = page.waitForRequest((one) => one.method() === "DELETE" && one.url().endsWith("/rf/sessions/access"));
      const end = page.waitForRequest((one) => one.url().includes("post_logout_redirect_uri=") && provider.owns(one.url()));
      await userMenu(page, provider.first).click();
      await page.getByRole("menuitem", { name: "Logout" }).click();
      await farewell;
      const asked = new URL((await end).url()).searchParams;
      expect(asked.get("post_logout_redirect_uri")).toBe(`${cairn.url}/`);
      expect(asked.get("id_token_hint")).toBeTruthy();
      await expect(page).toHaveURL("/");
      await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
      expect(await storedUser(page)).toBeNull();

      await expect(other).toHaveURL("/login?redirect=%2Fsessions");
      await other.getByRole("button", { name: "Institution Login" }).click();
      await provider.enter(other, provider.second);
      await expect(other).toHaveURL("/sessions");
      await expect(userMenu(other, provider.second)).toBeVisible();
      await expect(userMenu(page, provider.second)).toBeVisible();
    });
  });
}
