import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { CairnServer } from "../support/server";
import { expect, test as base } from "../support/test";

const mark = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#705" d="M0 0h8v8z"/></svg>';
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const content = `
brand: {name: Hill Library, tagline: What the hill has read, mark: mark.svg}
landing:
  headline: Read where you are
  text: The hill keeps what it finds.
  picture: {file: hall.png, alt: The reading hall}
  actions: [{text: Browse, href: /resources}]
  features:
    - {title: With a file, text: One, picture: {file: mark.svg, alt: A corner}}
    - {title: Without any, text: Two}
  extensions: []
  institutions:
    - {name: Hill School, href: "https://hill.example.org", picture: {file: mark.svg, alt: Mark of the school}}
events: []
footer: {text: The hill stands., columns: [{title: Hill, links: [{text: Way up, href: /events}]}]}
`;

const test = base.extend<object, { folder: string; cairn: CairnServer }>({
  folder: [
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), "cairn-site-"));
      await writeFile(join(folder, "hall.png"), Buffer.from(pixel, "base64"));
      await writeFile(join(folder, "mark.svg"), mark);
      await writeFile(join(folder, "site.yaml"), content);
      await use(folder);
      await rm(folder, { recursive: true });
    },
    { scope: "worker" },
  ],
  cairn: [
    async ({ folder }, use) => {
      const cairn = await CairnServer.start({
        flags: ["--site", join(folder, "site.yaml")],
      });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("an institution's own words and pictures are shown, and change while the server runs", async ({
  page,
  cairn,
  folder,
}) => {
  const saysNow = (text: string) => expect.poll(() => cairn.output).toContain(text);

  await test.step("its mark and pictures are there, each with its words", async () => {
    await page.goto("/");
    await expect(page).toHaveTitle("Hill Library");
    for (const [name, area] of [
      ["The reading hall", page.getByRole("main")],
      ["A corner", page.getByRole("listitem").filter({ hasText: "With a file" })],
      ["Mark of the school", page.getByRole("listitem").filter({ hasText: "Hill School" })],
    ] as const) {
      const picture = area.getByRole("img", { name });
      await expect(picture).toBeVisible();
      expect(
        await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
      ).not.toBe(0);
    }
    const own = page.getByRole("banner").locator("img");
    await expect(own).toHaveAttribute("src", /^\/site\/mark\.svg\?v=[0-9a-f]+$/);
    await expect(own).toHaveAttribute("alt", "");
    await expect(page.locator('link[rel="icon"]')).toHaveAttribute("href", (await own.getAttribute("src")) ?? "");
    await expect(page.getByRole("link", { name: "Hill School" })).toHaveAttribute("target", "_blank");
    await expect(page.getByRole("heading", { name: /extensions|sponsor/ })).toHaveCount(0);
    const footer = page.getByRole("contentinfo");
    await expect(footer).toContainText("What the hill has read");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await footer.getByRole("link", { name: "Way up" }).click();
    await expect(page.getByText("There are no events yet.")).toBeVisible();
  });

  await test.step("a picture opened by itself can do nothing", async () => {
    const answer = await page.request.get("/site/mark.svg");
    expect(answer.headers()).toMatchObject({
      "content-type": "image/svg+xml",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
    expect((await page.request.get("/site/site.yaml")).status()).toBe(404);
  });

  await test.step("a changed file is taken at SIGHUP", async () => {
    await writeFile(
      join(folder, "site.yaml"),
      content.replaceAll("Hill Library", "Hill Archive").replace("mark: mark.svg", ""),
    );
    cairn.hangUp();
    await saysNow("the site file was reloaded");
    await page.goto("/login");
    await expect(page).toHaveTitle("Sign in · Hill Archive");
    await expect(page.getByRole("heading", { level: 1, name: "Hill Archive" })).toBeVisible();
    await expect(page.getByRole("banner").locator("img")).toHaveCount(0);
    await page.getByRole("button", { name: "Institution Login" }).click();
    await expect(page).toHaveTitle("Sign in to Hill Archive");
  });

  await test.step("a broken one is not: the log names its faults, and the former content goes on", async () => {
    await writeFile(
      join(folder, "site.yaml"),
      content.replace("mark.svg", "../mark.svg").replace("href: /events", "href: //evil.example"),
    );
    cairn.hangUp();
    await saysNow("the site file wasn't loaded");
    await saysNow("site.yaml line 2: brand.mark must be the name of");
    await saysNow("site.yaml line 15: footer.columns.links.href must be an https:// address");
    await page.goto("/");
    await expect(page).toHaveTitle("Hill Archive");
  });
});
