import { readFile } from "node:fs/promises";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expect, test } from "../support/test";

const workshop = {
  title: "Data-Driven and Large-Scale Modeling in Neuroscience",
  slug: "data-driven-and-large-scale-modeling-in-neuroscience",
};

test("the address of a workshop opens it, its link is copied, and its calendar file is saved", async ({
  page,
  cairn,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/events#${workshop.slug}`);
  const events = page.getByRole("main").getByRole("group");
  const event = events.filter({ hasText: workshop.title });
  const summary = event.locator("summary");

  await test.step("it is open and in sight below the bar, and the first one too is open", async () => {
    await expect(events).toHaveCount(4);
    await expect(event).toHaveAttribute("open");
    await expect(events.first()).toHaveAttribute("open");
    await expect(events.nth(1)).not.toHaveAttribute("open");
    await expect(summary).toBeInViewport({ ratio: 1 });
    const bar = await page.getByRole("banner").boundingBox();
    await expect.poll(async () => (await summary.boundingBox())?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
    await expect(summary).toBeFocused();
  });

  await test.step("its agenda is a table whose breaks stand out, at every width", async () => {
    for (const width of [page.viewportSize()?.width ?? 0, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const agenda = event.getByRole("table", {
        name: `Agenda: ${workshop.title}`,
      });
      await expect(agenda.getByRole("columnheader")).toHaveText(["Time", "Topic", "Session", "Speaker"]);
      const row = (name: string) => agenda.getByRole("row").filter({ hasText: name });
      await expect(row("Computing with Neural Oscillators").getByRole("cell")).toHaveText([
        "3:00–3:45",
        "Computing with Neural Oscillators",
        "Presentation, Hands-on",
        "Nabil Imam, Nand Chandravadia",
      ]);
      await expect(row("Lunch")).toHaveCSS("background-color", "rgb(237, 241, 245)");
      await expect(row("Computing with Neural Oscillators")).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
    }
  });

  await test.step("the copied link is this address", async () => {
    await event.getByRole("button", { name: `Copy link to ${workshop.title}` }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${cairn.url}/events#${workshop.slug}`);
  });

  await test.step("the calendar file has the time in UTC", async () => {
    const saving = page.waitForEvent("download");
    await event.getByRole("link", { name: "Add to calendar" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(`${workshop.slug}.ics`);
    const text = await readFile(await saved.path(), "utf8");
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*\r\nDTSTART:20250411T120000Z\r\nDTEND:20250411T210000Z\r\n/);
    await expect(page).toHaveURL(`/events#${workshop.slug}`);
  });

  await test.step("another address in the same window opens that one too", async () => {
    await page.evaluate(() => {
      window.location.hash = "allen-institute-modeling-software-workshop";
    });
    await expect(events.nth(1)).toHaveAttribute("open");
    await expect(events.nth(1).locator("summary")).toBeInViewport({ ratio: 1 });
    await expect(event).toHaveAttribute("open");
  });
});

test("on paper all agendas are open", async ({ page }) => {
  await page.goto("/events");
  const agendas = page.getByRole("main").locator("table");
  await expect(agendas).toHaveCount(2);
  await expect(agendas.first()).toBeHidden();
  await page.emulateMedia({ media: "print" });
  for (const agenda of await agendas.all()) await expect(agenda.getByRole("row").last()).toBeVisible();
});

test("an event leads to its entries, and they lead back and to each other @all", async ({ page }) => {
  await page.goto("/events");
  const event = page.locator("details", { hasText: "Data-Driven and Large-Scale Modeling in Neuroscience" });
  await event.locator("summary").click();
  await event.getByRole("link", { name: "Entries from this event" }).click();
  await expect(page).toHaveURL(/\?tags=neurodata25$/);
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Apache Cerebrum", exact: true }).click();
  const entry = await opened;
  await entry.getByRole("heading", { level: 1, name: "Apache Cerebrum" }).waitFor();
  await entry.mouse.wheel(0, 5000);
  const related = entry.getByRole("region", { name: "Related entries" });
  await expect(related.getByRole("listitem")).not.toHaveCount(0);
  await expect(related.getByRole("link", { name: /^Data-Driven/ })).toHaveAttribute("href", /^\/events#/);
  await expect(related).toContainText("From the same event: Data-Driven");
});
