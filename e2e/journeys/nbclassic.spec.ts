import { printed, run, signal, waiting } from "../support/away";
import { expectFiles, expectIdle, runCell, save } from "../support/jupyter";
import { chooseAccount, people } from "../support/people";
import { CairnServer } from "../support/server";
import { deleteAllSessions, expectNothingRuns, openDemoRepository } from "../support/sessions";
import { test as base, expect } from "../support/test";

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const environment = { CAIRN_SESSIONS_JUPYTER: "/usr/bin/jupyter-nbclassic", CAIRN_SESSIONS_TERMINAL: "true" };
      const cairn = await CairnServer.start({ environment });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("a session with nbclassic runs a notebook below the session bar, and offers terminals @all", async ({
  page,
  cairn,
  watch,
}, info) => {
  watch.expects(/font at .about:blank. from origin/, /net::ERR_FAILED \(about:blank\)/); // nbclassic's own
  expect(cairn.output).toContain("nbclassic");
  await openDemoRepository(page);
  await page.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
  await chooseAccount(page, people.researcher); // the session starts by itself, in this tab
  await expect(page).toHaveURL(/\/notebooks\/first-steps\/first-steps\.ipynb$/, { timeout: 180_000 });
  await expectIdle(page);
  const bar = page.getByRole("region", { name: "Session" });
  await expect(bar).toBeVisible();
  // A narrow bar has no room for it.
  if (info.project.name === "desktop")
    await expect(page.getByRole("meter", { name: "Memory" })).toHaveText(/^Memory \d+ MiB of 2 GiB$/);
  const overlap = async () => {
    const [above, below] = await Promise.all([bar.boundingBox(), page.locator("#site").boundingBox()]);
    return (above?.y ?? 0) + (above?.height ?? 0) - (below?.y ?? 0);
  };
  await expect.poll(overlap).toBeLessThanOrEqual(0);
  await runCell(page, 'print(6 * 7, "by nbclassic")', "42 by nbclassic");
  await save(page);
  await page.screenshot({ path: info.outputPath("nbclassic.png") });

  await test.step("a cell that still runs when its page closes goes on, and in the next page too", async () => {
    const address = page.url();
    const session = /\/s\/([0-9a-f-]{36})\//.exec(address)?.[1] ?? "";
    await run(page, waiting("one"), "first");
    await save(page);
    await page.goto("/add");
    await page.goto(address);
    const last = page.locator(".code_cell").last();
    await expect(last.locator(".input_prompt")).toContainText("*");
    signal(cairn, session, "one");
    await expect(last.locator(".output_result")).toContainText("done");
    expect((await last.locator(".output_text pre").allTextContents()).join("")).toBe(`${printed}'done'`);
    await save(page);
  });

  await expectFiles(page, "first-steps", "data");
  await page.locator("#new-buttons").getByRole("button").click();
  await expect(page.getByRole("menuitem", { name: "Terminal" })).toBeVisible(); // whose page Debian's package can't draw

  await page.goto("/sessions");
  await deleteAllSessions(page);
  await expectNothingRuns(cairn);
});
