import type { Page } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import { expectFilters } from "../support/catalog";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { doomed, heron, hidden } from "./entries";
import { expect, open, pathTo, test, unfoldFacts } from "./fixtures";

const reason = "This resource is private and can only be seen by the resource's authors";

/** Returns the address of an entry that only the signed-in person can find. */
async function ownPath(page: Page, name: string, folder: string): Promise<string> {
  const query = new URLSearchParams({ nameSearch: `"${name}"` });
  const { content } = await callAs<{ content: { id: string; name: string }[] }>(page, "GET", `/resources/public?${query}`);
  return `/resources/${folder}/${content.find((each) => each.name === name)?.id}`;
}

test("a private entry has a lock that says why, for its authors alone", async ({ page, request, watch }) => {
  watch.expects(/status of 404/); // of the document, which is anonymous
  await openAs(page, people.researcher, "/resources/starred");
  const path = await ownPath(page, hidden, "notebooks");
  await open(page, path, hidden);
  const lock = page.getByRole("img", { name: "Private" });
  await expect(lock).toHaveAccessibleDescription(reason);
  await expect(page.getByRole("tooltip", { name: reason })).toBeHidden();
  await page.getByRole("link", { name: "Back", exact: true }).focus();
  await page.keyboard.press("Tab");
  await expect(lock).toBeFocused();
  await expect(page.getByText(reason)).toBeVisible();
  await unfoldFacts(page);
  await expect(page.getByText("Private, authors only")).toBeVisible();
  await expectAccessible(page);

  const document = await request.get(path);
  expect(document.status()).toBe(404);
  const html = await document.text();
  expect(html).toContain("<title>Resource not found · Cairn</title>");
  expect(html).not.toMatch(/Hidden|data-entry|first-data/);

  await page.goto(path.replace("notebooks", "MODEL"));
  await expect(page).toHaveURL(path);
});

test("whom a private entry is not for sees what they would see of none", async ({ page, watch }) => {
  watch.expects(/status of 404/);
  await openAs(page, people.researcher, "/resources/starred");
  const path = await ownPath(page, hidden, "notebooks");
  await page.evaluate(() => localStorage.clear());
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1, name: /^This entry doesn't exist/ })).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText(hidden);
  await page.getByRole("main").getByRole("link", { name: "sign in" }).click();
  await expect(page).toHaveURL(`/login?${new URLSearchParams({ redirect: path })}`);
});

test("a star is set and removed, and shows at once @all", async ({ page, cairn }, { project }) => {
  const path = await pathTo(cairn, heron.bare);
  await page.goto(path);
  await page.getByRole("button", { name: "Star", exact: true }).click();
  await expect(page).toHaveURL(`/login?${new URLSearchParams({ redirect: path })}`);
  await openAs(page, project.name === "phone" ? people.colleague : people.operator, "/resources/starred");
  await open(page, path, heron.bare);
  await page.getByRole("button", { name: "Star", exact: true }).click();
  await expect(page.getByRole("button", { name: "Unstar 1" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Notifications" }).getByText("Starred")).toBeVisible();
  await unfoldFacts(page);
  await expect(page.getByRole("definition").filter({ has: page.locator("xpath=preceding-sibling::dt[.=\"Stars\"]") })).toHaveText("1");
  await page.reload();
  await page.getByRole("button", { name: "Unstar 1" }).click();
  await expect(page.getByRole("button", { name: "Star", exact: true })).toBeVisible();
  await expect(page.getByText("Unstarred", { exact: true })).toBeVisible();
});

test("an author deletes an entry by its exact name; what fails says why @all", async ({ page, cairn, watch }, { project }) => {
  watch.expects(/status of 403/, /status of 404/);
  const name = doomed(project.name);
  await openAs(page, people.researcher, "/resources/starred");
  const path = await ownPath(page, name, "datasets");
  await open(page, path, name);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete resource" });
  const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
  const field = dialog.getByRole("textbox");
  for (const typed of ["", name.slice(0, -1), name.toLowerCase(), name.replace("  ", " "), ` ${name}`]) {
    await field.fill(typed);
    await expect(confirm).toBeDisabled();
  }
  await field.fill(name);
  await expectAccessible(page);

  const message = `Only the authors of "${name}" can delete it: somebody@example.org.`;
  await page.route("**/api/v1/rf/resources/*", (route) =>
    route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify({ message }) }),
  );
  await confirm.click();
  const notice = page.getByRole("alert").filter({ hasText: "Error deleting session" });
  await expect(notice).toContainText(message);
  await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
  await page.unroute("**/api/v1/rf/resources/*");

  await confirm.click();
  await expect(page.getByText("Resource deleted", { exact: true })).toBeVisible();
  await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET,MODEL" });
  const answer = await fetch(`${cairn.url}${path}`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain("Doomed");
});
