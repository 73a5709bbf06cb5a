import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test as base } from "@playwright/test";
import { chooseAccount, people } from "../support/people";
import { freePorts } from "../support/ports";
import { CairnServer } from "../support/server";

/** A front end on another origin, registered at the catalog, whose public address is a name below localhost. */
const test = base.extend<{ portal: { url: string; catalog: string } }>({
  portal: async ({}, use) => {
    const port = await freePorts(2);
    const catalog = `http://cairn.localhost:${port}`;
    const html = (await readFile(new URL("portal.html", import.meta.url), "utf8")).replace("CATALOG", catalog);
    const server = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(html);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = await mkdtemp(join(tmpdir(), "cairn-portal-"));
    const config = join(folder, "cairn.yaml");
    const clients = [{ client_id: "portal", redirect_uris: [`${url}/`], origins: [url] }];
    await writeFile(config, JSON.stringify({ public_url: catalog, cors: { origins: [url] }, idp: { clients } }));
    const listen = ["--listen", `127.0.0.1:${port}`, "--session-listen", `127.0.0.1:${port + 1}`];
    const cairn = await CairnServer.start({ flags: ["--config", config, ...listen] });
    await use({ url, catalog });
    await cairn.close();
    server.close();
    await rm(folder, { recursive: true });
  },
});

test("a front end on another origin signs in and shows every notebook", { tag: "@all" }, async ({ page, portal }) => {
  const violations: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /Refused|CORS|frame-ancestors|Content Security Policy/.test(message.text())) violations.push(message.text());
  });
  await page.goto(portal.url);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(({ origin, pathname }) => origin === portal.catalog && pathname === "/idp/login");
  await chooseAccount(page, people.researcher);
  await expect(page).toHaveURL(`${portal.url}/`);
  await expect(page.getByText(people.researcher.email)).toBeVisible();

  const notebooks = page.getByRole("listitem").getByRole("button");
  await expect(notebooks.first()).toBeVisible();
  for (const name of await notebooks.allTextContents()) {
    await page.getByRole("button", { name, exact: true }).click();
    const frame = page.getByTitle(name, { exact: true });
    await expect(frame, name).toHaveAttribute("src", /^http:\/\/n-[0-9a-f-]{36}\.localhost:\d+\/n\//);
    await expect(frame.contentFrame().getByRole("heading").first(), name).toBeVisible();
    await expect(frame.contentFrame().getByText("cannot be shown"), name).toHaveCount(0);
  }
  expect(violations).toEqual([]);
});
