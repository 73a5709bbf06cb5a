import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { calls, cutOff } from "../support/answers";
import { card, searchBox } from "../support/catalog";
import { copied } from "../support/clipboard";
import { openAs, people } from "../support/people";
import { descriptor, expect, notice, test } from "./fixtures";

const me = people.researcher.email;
const wholeCatalog = "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL";

/** Each width adds different repositories to the shared server. */
function names(isMobile: boolean): { slug: string; title: string } {
  return isMobile ? { slug: "phone", title: "Spikes of a phone" } : { slug: "desktop", title: "Spikes of a desktop" };
}

async function pull(page: Page, address: string): Promise<void> {
  await page.getByLabel("GitHub URL").fill(address);
  await page.getByRole("button", { name: "Pull cairn.yml" }).click();
}

test("a repository is added in two steps, by keyboard too", async ({ page, github, isMobile }) => {
  const { slug, title } = names(isMobile);
  await github.put({
    name: `lab/${slug}`,
    files: {
      "cairn.yml": descriptor({
        name: title,
        description: "Sorts **spikes** of <b>many</b> electrodes.",
        authors: [me, "Ada@Example.org"],
        tags: ["sorting", `md, ${slug}`],
        privacy: "PRIVATE",
      }),
    },
  });
  await openAs(page, people.researcher, "/add");

  await test.step("the choice", async () => {
    await expect(page.getByRole("heading", { level: 1, name: "Add to the catalog" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Add a project" })).toHaveAttribute("href", "/add/project");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole("link", { name: "Add a repository" }).focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL("/add/repo");
    await expect(page).toHaveTitle(/^Add a repository · /);
  });

  const address = page.getByLabel("GitHub URL");
  const pullButton = page.getByRole("button", { name: "Pull cairn.yml" });

  await test.step("the button is off while there is no address, and .git goes as it is typed", async () => {
    await expect(pullButton).toBeDisabled();
    await address.fill("  ");
    await expect(pullButton).toBeDisabled();
    await address.fill("");
    await address.pressSequentially(`https://github.com/lab/${slug}.git`);
    await expect(address).toHaveValue(`https://github.com/lab/${slug}`);
    await address.pressSequentially("hub.io");
    await expect(address).toHaveValue(`https://github.com/lab/${slug}.github.io`);
    await address.fill(`https://github.com/lab/${slug}.git`);
    await expect(address).toHaveValue(`https://github.com/lab/${slug}`);
    await expect(pullButton).toBeEnabled();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  const addButton = page.getByRole("button", { name: "Add Repository" });
  const main = page.getByRole("main");

  await test.step("the review shows what the descriptor says, and nothing to change", async () => {
    await address.press("Enter");
    await expect(page.getByRole("heading", { level: 2, name: "Review what will be added" })).toBeFocused();
    await expect(main.getByText(title, { exact: true })).toBeVisible();
    await expect(main.getByText("Sorts spikes of <b>many</b> electrodes.")).toBeVisible();
    await expect(main.getByText(`md, ${slug}`, { exact: true })).toBeVisible();
    await expect(main.getByText("ada@example.org", { exact: true })).toBeVisible();
    await expect(main.getByText("PRIVATE Only its authors can see the entry.")).toBeVisible();
    await expect(main.getByRole("textbox")).toHaveCount(0);
    await expect(main.getByRole("link", { name: `https://github.com/lab/${slug}` })).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("Back goes one step, then to the choice", async () => {
    await page.getByRole("link", { name: "Back" }).click();
    await expect(page.getByRole("heading", { level: 2, name: "Where is it?" })).toBeFocused();
    await expect(address).toHaveValue(`https://github.com/lab/${slug}`);
    await page.getByRole("link", { name: "Back" }).click();
    await expect(page).toHaveURL("/add");
    await page.getByRole("link", { name: "Add a repository" }).click();
  });

  await test.step("it is added, and the catalog with all four types shows it", async () => {
    await pull(page, `https://github.com/lab/${slug}.git`);
    await addButton.click();
    await expect(notice(page, "Success")).toBeVisible();
    await expect(notice(page, "Repository created successfully")).toBeVisible();
    await expect(page).toHaveURL(wholeCatalog);
    await searchBox(page).fill(title);
    await expect(card(page, title)).toBeVisible();
    await expect(card(page, title).getByRole("img")).toHaveCount(0);
  });
});

test("addresses and descriptors that will not do are answered in their place @all", async ({ page, github, watch, isMobile }) => {
  watch.expects(/status of 4\d\d/, /status of 503/);
  const { slug } = names(isMobile);
  const good = { name: "Fine", description: "Good.", authors: [me], privacy: "PUBLIC" };
  await github.put(
    { name: "lab/secret", private: true, files: { "cairn.yml": descriptor(good) } },
    { name: `lab/faults-${slug}`, files: { "cairn.yml": "project:\n  name: Fine\n  description:\n  authors: [Ada@, Bob <bob@example.org>]\n" } },
    { name: "lab/odd-privacy", files: { "cairn.yml": descriptor({ ...good, privacy: "public" }) } },
    { name: "lab/hostile", files: { "cairn.yml": 'project: {name: "<img src=x onerror=alert(1)>", description: "[a](javascript:alert(1))", authors: ["<b>@x"], privacy: PUBLIC}' } },
  );
  await openAs(page, people.researcher, "/add/repo");
  const alert = page.getByRole("main").getByRole("alert");

  await test.step("no address of a repository on GitHub", async () => {
    for (const address of ["https://intranet/github.com/a/b", "hhttps://github.com/a/b", "https://github.com/lab", "spikes"]) {
      await pull(page, address);
      await expect(page.getByRole("main").getByText("Invalid GitHub URL format.", { exact: true })).toBeVisible();
    }
    const field = page.getByLabel("GitHub URL");
    await expect(field).toBeFocused();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(/such as https:\/\/github\.com\/owner\/name\. Invalid GitHub URL format\.$/);
    await expectAccessible(page);
    await page.keyboard.press("End");
    await page.keyboard.type("x");
    await expect(field).not.toHaveAttribute("aria-invalid");
    await expect(page.getByRole("main").getByText("Invalid GitHub URL format.")).toHaveCount(0);
  });

  await test.step("what takes long can be cancelled, and the address stays", async () => {
    await page.route(calls(/^\/codehost\/descriptor$/), () => {});
    await pull(page, "https://github.com/lab/nothing");
    await expect(page.getByRole("button", { name: "Pulling cairn.yml" })).toHaveAttribute("aria-busy", "true");
    await expect(page.getByRole("status").getByText(/Checking one branch after another/)).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("status").getByText(/^Pulling was cancelled\. Nothing was added/)).toBeVisible();
    await expect(page.getByLabel("GitHub URL")).toBeFocused();
    await expect(page.getByLabel("GitHub URL")).toHaveValue("https://github.com/lab/nothing");
    await page.unrouteAll();
    await page.getByText("What cairn.yml looks like").click();
    await expect(page.getByText(`- "${me}"`)).toBeVisible();
  });

  await test.step("no descriptor there, or a private repository", async () => {
    for (const address of ["https://github.com/lab/nothing", "https://github.com/lab/secret"]) {
      await pull(page, address);
      await expect(alert.getByText("Failed to fetch cairn.yml. Please check the URL.", { exact: true })).toBeVisible();
    }
    await expect(alert.getByText(/has no public repository/)).toBeVisible();
    await expect(page.getByText(/name: "secret"/)).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("GitHub is down", async () => {
    await github.disturb({ path: "/raw", status: 500 });
    await pull(page, `https://github.com/lab/faults-${slug}`);
    await expect(alert.getByText("Failed to fetch cairn.yml. Please check the URL.", { exact: true })).toBeVisible();
    await expect(alert.getByText(/GitHub/).last()).toBeVisible();
    await github.disturb();
  });

  await test.step("faults are shown by line and field, with the corrected file to copy", async () => {
    // After an error the server doesn't ask GitHub for a moment.
    await expect(async () => {
      await pull(page, `https://github.com/lab/faults-${slug}`);
      await expect(page.getByRole("list", { name: "What to correct" })).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 180_000 });
    const faults = page.getByRole("list", { name: "What to correct" }).getByRole("listitem");
    await expect(faults).toHaveText([
      /^line 3: description\s*This field is empty\. Write: description: "What it does, for whom\."$/,
      /^line 4: authors\s*"Ada@" isn't an e-mail address\. Write the e-mail address this person signs in with/,
      /^privacy\s*This field is missing\. Add to project: privacy: PUBLIC$/,
    ]);
    await expect(notice(page, "Invalid privacy field")).toBeVisible();
    await expect(notice(page, "The privacy field in cairn.yml is invalid. Valid values: PUBLIC, PRIVATE.")).toBeVisible();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const file = await copied(page, page.getByRole("button", { name: "Copy the file" }));
    expect(file).toContain("  privacy: PUBLIC\n");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);

    await test.step("the corrected file will do", async () => {
      const corrected = file.replace("Add your description here", "Good.").replace("Ada@, ", "");
      await github.put({ name: `lab/copied-${slug}`, files: { "cairn.yml": corrected } });
      await pull(page, `https://github.com/lab/copied-${slug}`);
      await expect(page.getByRole("button", { name: "Add Repository" })).toBeVisible();
      await page.getByRole("link", { name: "Back" }).click();
    });
  });

  await test.step("a privacy that is none, and hostile texts", async () => {
    await pull(page, "https://github.com/lab/odd-privacy");
    await expect(page.getByText('"public" is neither PUBLIC nor PRIVATE.')).toBeVisible();
    await pull(page, "https://github.com/lab/hostile");
    await expect(page.getByText(`"<b>@x" isn't an e-mail address.`)).toBeVisible();
  });
});

test("what the server refuses leads on @all", async ({ page, github, watch, isMobile }) => {
  watch.expects(/status of 4\d\d/);
  const { slug } = names(isMobile);
  const fields = { name: `Known of a ${slug}`, description: "Good.", authors: [me], privacy: "PUBLIC" };
  const known = { name: `lab/known-${slug}`, files: { "cairn.yml": descriptor(fields) } };
  const foreign = { ...fields, name: "Foreign", authors: ["ada@example.org"] };
  await github.put(known, { name: `lab/foreign-${slug}`, files: { "cairn.yml": descriptor(foreign) } });
  await openAs(page, people.researcher, "/add/repo");
  const addButton = page.getByRole("button", { name: "Add Repository" });
  const alert = page.getByRole("main").getByRole("alert");

  await test.step("not among the authors: the line to add, then it works", async () => {
    await pull(page, `https://github.com/lab/foreign-${slug}`);
    await addButton.click();
    await expect(notice(page, "Error")).toBeVisible();
    await expect(notice(page, "Failed to add repository. You aren't listed as an author.")).toBeVisible();
    await page.getByRole("button", { name: "Dismiss: Error" }).click(); // in a narrow window it's above the buttons
    await expect(alert.getByText("You aren't listed as an author.")).toBeVisible();
    await expect(alert.getByText(`authors: [ada@example.org, "${me}"]`)).toBeVisible();
    await expect(alert.getByRole("button", { name: "Copy line" })).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await github.put({ name: `lab/foreign-${slug}`, files: { "cairn.yml": descriptor({ ...foreign, authors: ["ada@example.org", me] }) } });
    await page.getByRole("button", { name: "Pull again" }).click();
    await expect(page.getByRole("main").getByText(me, { exact: true })).toBeVisible();
    await expect(alert).toHaveCount(0);
  });

  await test.step("the descriptor changed after it was looked at", async () => {
    await github.put({ name: `lab/foreign-${slug}`, files: { "cairn.yml": descriptor({ ...foreign, authors: ["ada@example.org", me], name: "Another" }) } });
    await addButton.click();
    await page.getByRole("button", { name: "Dismiss: Error" }).click();
    await expect(alert.getByText("The descriptor changed. Pull it again.")).toBeVisible();
    await page.getByRole("button", { name: "Pull again" }).click();
    await expect(page.getByRole("main").getByText("Another", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Back" }).click();
  });

  await test.step("an answer that never comes loses nothing", async () => {
    await pull(page, `https://github.com/lab/foreign-${slug}`);
    await cutOff({ page, watch }, /^\/resources\/repository$/);
    await addButton.click();
    await expect(alert.getByText("The server didn't answer.")).toBeVisible();
    await expect(alert.getByText(/Trying again is safe, and what was pulled is still here\.$/)).toBeVisible();
    await expect(page.getByRole("main").getByText("Another", { exact: true })).toBeVisible();
    await page.unrouteAll();
  });

  await test.step("the repository is there already: the way to its entry", async () => {
    for (const _ of ["first", "second"]) {
      await page.goto("/add/repo");
      await pull(page, `https://github.com/LAB/known-${slug}`);
      await addButton.click();
      await expect(notice(page, "Repository created successfully").or(alert).first()).toBeVisible();
    }
    await page.getByRole("button", { name: "Dismiss: Error" }).click();
    await expect(alert.getByText(`This repository is already in the catalog: "Known of a ${slug}".`)).toBeVisible();
    await alert.getByRole("link", { name: "Open the existing entry" }).click();
    await expect(page.getByRole("heading", { level: 1, name: `Known of a ${slug}` })).toBeVisible();
    await expect(page).toHaveURL(/\/resources\/repositories\/[0-9a-f-]{36}$/);
  });
});

test("a descriptor without privacy is added with one click more @all", async ({ page, github, isMobile }) => {
  const { slug } = names(isMobile);
  const title = `Not said on a ${slug}`;
  await github.put({ name: `lab/unsaid-${slug}`, files: { "cairn.yml": descriptor({ name: title, description: "Good.", authors: [me] }) } });
  await openAs(page, people.researcher, "/add/repo");
  await pull(page, `https://github.com/lab/unsaid-${slug}`);
  await expect(page.getByRole("heading", { level: 2, name: "One thing is missing" })).toBeFocused();
  await expect(page.getByRole("button", { name: "Add Repository" })).toHaveCount(0);
  await page.getByRole("button", { name: "Add as public" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Review what will be added" })).toBeFocused();
  await page.getByRole("button", { name: "Add Repository" }).click();
  await page.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Open the entry" }).click();
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
});
