import type { Page } from "@playwright/test";
import { type Crate, errorsIn, exportOf, formsOf, readLinks, readTriples } from "../standards/readers";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { archiveToken } from "../support/archives";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { deleteSession, newTab, openDemoRepository, writeBeside } from "../support/sessions";
import { expect, test } from "../support/withArchives";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const code = "def meet(rock):\n    return rock + 1\n";
const record = {
  Title: "Waves and rocks",
  Description: "<p>How they <b>meet</b>.</p>",
  License: "cc-by-4.0",
  Version: "1.0",
  Published: "2035-05-17",
  People: [{ Name: "Doe, Jane", ORCID: "0000-0002-1825-0097" }],
  Files: [
    { Path: "meet.py", Data: base64(code) },
    { Path: "README.md", Data: base64("# Something else\n") },
  ],
};

async function lookUp(page: Page, doi: string): Promise<void> {
  const main = page.getByRole("main");
  await openAs(page, people.researcher, "/add/doi");
  await main.getByRole("textbox", { name: "DOI" }).fill(doi);
  await main.getByRole("button", { name: "Look up" }).click();
  await expect(main.getByRole("heading", { name: "What will be added" })).toBeFocused();
}

test("what an archive has under a DOI becomes a dataset, and a repository that is kept here", async ({ page, archives }) => {
  const main = page.getByRole("main");
  const doi = await archives.publish("zenodo", record);

  await test.step("a dataset, whose files stay at the archive", async () => {
    await lookUp(page, `https://doi.org/${doi}`);
    await expect(main.getByRole("region", { name: "What will be added" })).toContainText("Jane Doe");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await expect(main.getByText("This DOI stands for all versions.")).toHaveCount(0);
    await expect(main.getByRole("radio", { name: "Dataset" })).toBeChecked();
    await main.getByRole("button", { name: "Add dataset" }).click();
    await expect(page).toHaveURL(/\/resources\/datasets\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("heading", { level: 1, name: record.Title })).toBeVisible();
    await expect(main.getByRole("link", { name: doi }).first()).toHaveAttribute("href", `https://doi.org/${doi}`);
  });

  await test.step("the same DOI again leads to that entry", async () => {
    await lookUp(page, doi);
    await main.getByRole("link", { name: "Open the entry" }).click();
    await expect(page.getByRole("heading", { level: 1, name: record.Title })).toBeVisible();
  });

  await test.step("a repository, whose files are fetched", async () => {
    const other = await archives.publish("zenodo", { ...record, Title: "Waves and sand" });
    await lookUp(page, other);
    await main.getByRole("radio", { name: "Repository" }).check();
    await expectAccessible(page);
    await main.getByRole("button", { name: "Add repository" }).click();
    await expect(page).toHaveURL(/\/resources\/repositories\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("heading", { level: 1, name: "Waves and sand" })).toBeVisible();
    await expect(main.getByRole("rowheader", { name: "meet.py" })).toBeVisible();
  });
});

test("the result of a session becomes a public entry with a DOI, whose records others can read @desktop", async ({ page, cairn, archives, request, watch }) => {
  test.setTimeout(600_000);
  watch.expects(/status of 404 /); // the document of a private entry, which is asked for without a token
  const main = page.getByRole("main");
  await openAs(page, people.colleague, "/add"); // who isn't an author of the repository
  await openDemoRepository(page);
  const notebook = await newTab(page, main.getByRole("button", { name: "Run", exact: true }));
  await expect(notebook).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  expect(await writeBeside(notebook, "rates.csv", "cell,rate\n1,4.5\n2,6.1\n")).toBe(201);
  const [session] = await callAs<{ id: string; sessionName: string }[]>(page, "GET", "/sessions");
  const { files } = await callAs<{ files: { path: string }[] }>(page, "POST", `/sessions/${session?.id}/publish/contents`, {});
  const path = files.find(({ path }) => path.endsWith("rates.csv"))?.path;
  const { resourceId: id } = await callAs<{ resourceId: string }>(page, "POST", `/sessions/${session?.id}/publish`, {
    paths: [path],
    as: { new: { type: "DATASET", name: "Rates of two cells", description: "Measured in a session.", license: "CC-BY-4.0" } },
  });

  await callAs(page, "POST", "/account/connections/zenodo", { token: archiveToken });
  await callAs(page, "PUT", "/account/connections/zenodo", { keep: true });
  await page.goto(`/resources/datasets/${id}`);
  await main.getByRole("button", { name: "Make public" }).click();
  await expect(main.getByRole("button", { name: "Make public" })).toHaveCount(0);
  const part = main.getByRole("region", { name: "Deposits" });
  await part.getByRole("button", { name: "Deposit at Zenodo", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make a draft" }).click();
  await part.getByRole("button", { name: /^Publish: version/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish for good" }).click();
  await expect(part.getByRole("status").filter({ hasText: "Published. Zenodo keeps it for good." })).toBeVisible();

  const deposited = (await archives.deposits()).find(({ files }) => files["rates.csv"] !== undefined);
  expect(deposited?.published).toBe(true);
  const doi = deposited?.doi ?? "";
  await test.step("the archive's record has the file, where it came from, and a valid crate", async () => {
    expect(deposited?.files["rates.csv"]).toContain("6.1");
    expect(JSON.stringify(deposited?.metadata)).toMatch(/isderivedfrom/i);
    const crate: Crate = JSON.parse(deposited?.files["ro-crate-metadata.json"] ?? "{}");
    expect(await errorsIn(crate, ["rates.csv"])).toEqual([]);
    expect(await errorsIn(crate)).toMatchObject([{ id: "validCrateDataEntityPath", status: "error" }]);
  });
  await test.step("independent readers accept the entry and its first version", async () => {
    for (const version of [undefined, 1]) {
      for (const form of formsOf("DATASET")) {
        const text = await (await request.get(exportOf(cairn.url, id, form, version))).text();
        expect(await readTriples(text, cairn.url)).toContain(doi);
        if (form === "rocrate") expect(await errorsIn(JSON.parse(text))).toEqual([]);
      }
    }
    const refs = await readLinks(request, cairn.url, `/resources/datasets/${id}`);
    expect(refs.filter(({ rel }) => rel === "cite-as")).toHaveLength(1);
  });

  await notebook.close();
  await page.goto("/sessions");
  await deleteSession(page, cairn, session?.sessionName ?? "");
});
