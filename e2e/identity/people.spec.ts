import { accounts } from "../support/provider";
import { demoProjectCard, fillDialog, newSessionDialog, openDemoRepository } from "../support/sessions";
import { expect, foreignJwt, foreignSetups, tagsOf, test, userMenu } from "./fixtures";

// E-mails of tokens, of introspection, and of userinfo.
const ways = foreignSetups.filter(({ foreign }) => foreign?.refresh !== true || foreign.checkedBy === "userinfo");

for (const setup of ways) {
  test.describe(setup.title, tagsOf(setup), () => {
    test.use({ setup });

    // CVE-2022-31027, CVE-2026-33175: identity from an e-mail that the provider hasn't verified.
    test("an unverified e-mail gives no rights, and pages that need one say why (unverified e-mail)", async ({
      page,
      provider,
      watch,
    }) => {
      watch.expects(/status of 403/, /The sessions cannot be brought up to date/);
      await provider.open(page, accounts.unverified, "/sessions");
      const main = page.getByRole("main");
      await expect(main.getByText("Your identity provider doesn't share a verified e-mail address for you.").first()).toBeVisible();
      await page.goto("/resources/starred");
      await expect(main.getByText("Your identity provider doesn't share a verified e-mail address for you.").first()).toBeVisible();
      await page.goto("/resources");
      await expect(main.getByRole("article").first()).toBeVisible();
    });

    test("who has no name is shown by e-mail", async ({ page, provider }) => {
      await provider.open(page, accounts.nameless, "/resources/starred");
      await userMenu(page, accounts.nameless).click();
      await expect(page.getByRole("banner").getByText(accounts.nameless.email)).toHaveCount(1);
    });
  });
}

test.describe("accounts", () => {
  test.use({ setup: foreignJwt });

  test("of a domain that is not enabled browse and star, and are told whom to ask when they start", async ({
    page,
    provider,
    watch,
  }) => {
    watch.expects(/status of 403 .*\/rf\/hub\/start/, /The session cannot be opened/);
    await provider.open(page, accounts.guest, "/sessions");
    await expect(page.getByText("No sessions found.")).toBeVisible();
    await openDemoRepository(page);
    await page.getByRole("button", { name: /^Star/ }).first().click();
    await expect(page.getByRole("region", { name: "Notifications" }).getByText("Starred")).toBeVisible();
    await expect(demoProjectCard(page)).toBeVisible();
    await fillDialog(page, "Not allowed");
    await newSessionDialog(page).getByRole("button", { name: "Create session" }).click();
    await expect(page.getByText("operators@institution.example").filter({ visible: true }).first()).toBeVisible();
  });
});
