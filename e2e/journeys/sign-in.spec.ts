import { chooseAccount, openAs, people } from "../support/people";
import { expect, test } from "../support/test";

const { researcher } = people;

test("signing in leads back to where one wanted to go, and stays", async ({ page }) => {
  await page.goto("/resources/starred");
  await expect(page).toHaveURL("/login?redirect=%2Fresources%2Fstarred");
  await page.getByRole("button", { name: "Institution Login" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in to Cairn" })).toBeVisible();
  await chooseAccount(page, researcher);

  await expect(page).toHaveURL("/resources/starred");
  await expect(page.getByRole("heading", { level: 1, name: "Starred Resources" })).toBeVisible();

  await page.reload();
  await expect(page).toHaveURL("/resources/starred");
  await page.getByRole("button", { name: `Account of ${researcher.name}` }).click();
  const banner = page.getByRole("banner");
  await expect(banner.getByText(researcher.name)).toBeVisible();
  await expect(banner.getByText(researcher.email)).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Logout" })).toBeVisible();
  await expect(banner.getByRole("link", { name: "Login" })).toHaveCount(0);

  await page.goBack();
  await expect(page).not.toHaveURL(({ pathname }) => pathname === "/oauth_callback");
});

test("the login button of the bar leads back to the same page @phone", async ({ page }) => {
  await page.goto("/events");
  await page.getByRole("banner").getByRole("link", { name: "Login" }).click();
  await page.getByRole("button", { name: "Institution Login" }).click();
  await chooseAccount(page, researcher);
  await expect(page).toHaveURL("/events");
  await expect(page.getByRole("button", { name: `Account of ${researcher.name}` })).toBeVisible();
});

test("logging out leads back signed out, in the other tabs too", async ({ page, context, watch }) => {
  // The other tab sends one more request, without a token, before it leaves.
  watch.expects(/status of 401 .*\/rf\/(sessions|projects)/);
  await openAs(page, researcher, "/sessions");
  const other = await context.newPage();
  await other.goto("/sessions");
  await expect(other.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();

  await page.getByRole("button", { name: `Account of ${researcher.name}` }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("oidc.user")))).toEqual([]);

  await expect(other).toHaveURL("/login?redirect=%2Fsessions");
  await expect(other.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();

  await page.goto("/sessions");
  await page.getByRole("button", { name: "Institution Login" }).click();
  await expect(page.getByRole("button", { name: researcher.email })).toBeVisible();
});

test("other tests sign in by HTTP, which leaves the same in the browser", async ({ page, context }) => {
  const left = async () => {
    const { cookies, origins } = await context.storageState();
    const [{ name = "", value = "{}" } = {}] = origins.flatMap(({ localStorage }) => localStorage);
    const { profile, ...user } = JSON.parse(value);
    const cookie = cookies.map(({ name, domain, path, httpOnly, sameSite }) => [name, domain, path, httpOnly, sameSite].join(" "));
    return { cookie: cookie.sort(), name, user: Object.keys(user).sort(), profile: Object.keys(profile).sort(), email: profile.email };
  };
  await page.goto("/login?redirect=%2Fevents");
  await page.getByRole("button", { name: "Institution Login" }).click();
  await chooseAccount(page, researcher);
  await expect(page).toHaveURL("/events");
  const byPages = await left();
  await context.clearCookies();
  await openAs(page, researcher, "/sessions");
  expect(await left()).toEqual(byPages);
});
