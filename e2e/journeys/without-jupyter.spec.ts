import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { newSessionDialog, startButton } from "../support/sessions";
import { test as base, expect } from "../support/test";

// Runs the server where the program isn't executable. Only root can do that without a new user namespace.
const namespace = process.getuid?.() === 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
const hide = 'mount --bind /dev/null /usr/bin/jupyter-notebook && exec "$@"';

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ within: ["unshare", ...namespace, "sh", "-c", hide, "sh"] });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("without Jupyter the product works and says why sessions cannot start", async ({ page }) => {
  const reason = /jupyter-notebook/i;
  await page.goto("/resources");
  await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();

  await openAs(page, people.researcher, "/sessions");
  const notice = page.getByRole("status").filter({ hasText: "Sessions can't" });
  await expect(notice).toContainText(reason);

  await startButton(page).click();
  const dialog = newSessionDialog(page);
  await expect(dialog.getByRole("alert")).toContainText(reason);
  const create = dialog.getByRole("button", { name: "Create session" });
  await expect(create).toHaveAttribute("aria-disabled", "true");
  await create.click({ force: true });
  await expect(dialog).toBeVisible();
  expect(page.context().pages()).toHaveLength(1);
});
