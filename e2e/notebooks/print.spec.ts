import { entry, expect, idOf, test, view } from "./fixtures";
import { notebookOf } from "./source";

const first = "https://example.org/first-cell";
const last = "https://example.org/last-cell";
const long = notebookOf(
  `# Printed\n\n[first](${first})`,
  ...Array.from({ length: 100 }, (_, index) => `Cell number ${index + 1}`),
  `[last](${last})`,
);

/* A PDF names the links that it shows, uncompressed. */
test("an entry is printed with its whole notebook, also if nobody scrolled to it, and without what is pressed @desktop", async ({ page, cairn, github }) => {
  const description = Array.from({ length: 80 }, (_, index) => `Paragraph ${index + 1}`).join("\n\n");
  await cairn.import(entry("Printed", github.serve("Printed.ipynb", long), { description }));
  await page.goto(`/resources/notebooks/${await idOf(cairn, "Printed")}`);
  const { section, frame } = view(page);
  await expect(frame).not.toBeInViewport();
  await expect.poll(() => frame.evaluate((element) => (element as HTMLElement).style.getPropertyValue("--printed"))).toMatch(/px$/);
  const fullPage = await section.getByRole("link", { name: "Open full page" }).getAttribute("href");

  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("button", { name: /Not tried/ })).toBeVisible();
  for (const name of ["Back to the catalog", "Open full page"]) await expect(page.getByRole("link", { name })).toBeHidden();
  for (const name of ["Cite", "Share", "Show all"]) await expect(page.getByRole("button", { name, exact: true })).toBeHidden();
  await expect(page.getByRole("navigation", { name: "Parts of this page" })).toBeHidden();

  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  const pages = pdf.match(/\/Type \/Page\b/g) ?? [];
  expect(pages.length, "pages").toBeGreaterThan(4);
  expect(pdf).toContain(first);
  expect(pdf).toContain(last);
  expect(pdf).not.toContain(new URL(fullPage ?? "", cairn.url).pathname);
});
