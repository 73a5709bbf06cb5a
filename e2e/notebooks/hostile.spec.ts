import { readdirSync, readFileSync } from "node:fs";
import type { Browser, Frame, Page } from "@playwright/test";
import type { CairnServer } from "../support/server";
import { entry, expect, frameAddress, idOf, test } from "./fixtures";
import { notebookOf, readFrame } from "./source";

/*
 * Stored script and sanitizer bypasses (CVE-2018-19351, CVE-2019-1020019, CVE-2021-32798, CVE-2021-32862, CVE-2026-44727
 * and the like): a notebook that runs script where it is shown can do whatever its reader can. Every hostile text from
 * the renderer's tests is opened in a real frame of a real page. Its script would run at once or on interaction, and set
 * `window.hacked`, change the title, call the API, open a dialog or write to the console.
 */

// Tracing injects its script into every frame, which the policy blocks like any other.
test.use({ trace: "off" });

const folder = new URL("../../internal/content/notebook/testdata/hostile/", import.meta.url);
const files = readdirSync(folder).filter((name) => /\.(ipynb|md)$/.test(name));

/** The content of a notebook's file; a plain text becomes its only cell. */
function notebook(name: string): string {
  const text = readFileSync(new URL(name, folder), "utf8");
  return name.endsWith(".md") ? notebookOf(text) : text;
}

/** A page into which no test injects script, and the violations seen there. */
async function quietPage(browser: Browser, cairn: CairnServer, own: (address: string) => boolean) {
  const context = await browser.newContext({ baseURL: cairn.url });
  const page = await context.newPage();
  await page.goto("/events");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.evaluate(() => {
    localStorage.setItem("secret", "of the reader");
    addEventListener("message", ({ data }) => {
      if (typeof (data?.printed ?? data) !== "number") console.log(`message: ${data}`);
    });
  });
  const happened: string[] = [];
  const icon = `${cairn.url}/favicon.svg`; // the page's icon, which the browser may request at any time
  const note = (what: string, address: string) => {
    if (!address.startsWith("data:") && address !== icon && !own(address)) happened.push(`${what}: ${address}`);
  };
  context.on("requestfinished", (request) => note("request", request.url()));
  context.on("requestfailed", (request) => note(request.failure()?.errorText ?? "failed", request.url()));
  context.on("console", (message) => happened.push(`console: ${message.text().replace(/\?\S+/, "")}`));
  context.on("weberror", (error) => happened.push(`script: ${error.error().message}`));
  context.on("dialog", (dialog) => {
    happened.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  context.on("page", (opened) => {
    if (opened !== page) happened.push(`window: ${opened.url()}`);
  });
  return { context, page, happened };
}

/** Adds frames to a page, as tall as the product's, and waits until all are loaded. */
async function show(page: Page, addresses: string[], sandbox: string | undefined): Promise<Frame[]> {
  const before = page.frames().length;
  await page.evaluate(
    async ([sources, attribute]) => {
      const frames = sources.map((source) => {
        const frame = document.createElement("iframe");
        if (attribute !== undefined) frame.setAttribute("sandbox", attribute);
        frame.src = source;
        frame.height = "800";
        return frame;
      });
      const loaded = frames.map((frame) => new Promise((resolve) => frame.addEventListener("load", resolve)));
      document.body.append(...frames);
      await Promise.all(loaded);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    },
    [addresses, sandbox] as const,
  );
  return page.frames().slice(before);
}

/** Fails when something in a frame's document ran, could run, or could reach its reader's data. */
async function expectHarmless(frame: Frame, title: string): Promise<void> {
  const found = await frame.evaluate(() => {
    const reach = (what: () => unknown) => {
      try {
        return String(what());
      } catch (error) {
        return (error as Error).name;
      }
    };
    const elements = [...document.querySelectorAll("main *")];
    return {
      hacked: (window as { hacked?: unknown }).hacked,
      title: document.title,
      origin: self.origin,
      cookie: reach(() => document.cookie),
      storage: reach(() => localStorage.length),
      session: reach(() => sessionStorage.length),
      around: reach(() => (parent === self ? "SecurityError" : parent.document.title)),
      elements: elements
        .map(({ localName }) => localName)
        .filter((name) => /^(script|iframe|frame|object|embed|applet|form|input|button|meta|base|link|style|template|noscript|svg|video|audio|source|portal|use|animate|set)$/.test(name)),
      attributes: elements.flatMap(({ attributes, localName }) =>
        [...attributes]
          .filter(({ name, value }) => !(name === "id" && /^h[1-6]$/.test(localName) && /^heading-\d+-\d+$/.test(value)))
          // Where links within the notebook lead: no script takes a name with a hyphen for one of its own.
          .filter(({ name, value }) => !(name === "id" && /^to-[a-z0-9_-]+$/.test(value)))
          .filter(({ name, value }) => /^on|^(id|name|style|form|action|formaction|srcdoc|srcset|ping|background|autofocus|slot|is)$/.test(name) || /^\s*(javascript|vbscript|data:text|data:image\/svg\+xml[^;,]*,)/i.test(value))
          .map(({ name, value }) => `${name}="${value.slice(0, 60)}"`),
      ),
      foreign: [...document.querySelectorAll("main :is([src], [poster])")]
        .map((element) => element.getAttribute("src") ?? element.getAttribute("poster") ?? "")
        .filter((address) => !/^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,/.test(address)),
      links: [...document.querySelectorAll<HTMLAnchorElement>("main a[href]")]
        .filter(({ protocol, target, hash, href }) => !/^(https?|mailto):$/.test(protocol) || (target !== "_blank" && !(hash && href.startsWith(location.href))))
        .map(({ outerHTML }) => outerHTML.slice(0, 200)),
    };
  });
  const refused = "SecurityError";
  expect(found, title).toEqual({
    ...{ hacked: undefined, title, origin: "null", cookie: refused, storage: refused, session: refused, around: refused },
    ...{ elements: [], attributes: [], foreign: [], links: [] },
  });
}

/** Interacts with everything a reader could: expands, hovers over and clicks it. */
async function touchEverything(frame: Frame): Promise<void> {
  await frame.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>("main *")) {
      if (element instanceof HTMLDetailsElement) element.open = true;
      for (const event of ["mouseover", "mouseenter", "pointerdown", "focus", "animationstart", "toggle", "load", "error"]) {
        element.dispatchEvent(new Event(event, { bubbles: true }));
      }
      element.focus?.();
      if (!element.closest("a")) element.click?.();
    }
  });
}

const refusedScript = /^console: .*script.*(violates|Content Security Policy)/i;
const asThePageDoes = "allow-scripts allow-popups allow-popups-to-escape-sandbox";

test("no hostile notebook runs script, calls the API, asks other hosts or reads what its reader has", async ({
  cairn,
  github,
  browser,
}) => {
  expect(files.length).toBeGreaterThanOrEqual(30);
  await cairn.import(...files.map((name) => entry(name, github.serve(name, notebook(name)))));
  const titles = new Map<string, string>();
  for (const name of files) titles.set(await frameAddress(cairn, await idOf(cairn, name)), name);
  // A picture beside a notebook is asked of the notebook's own origin.
  const beside = (address: string) => [...titles.keys()].some((one) => address.startsWith(new URL("picture?file=", one).href));
  const own = (address: string) => titles.has(address) || beside(address);
  const { context, page, happened } = await quietPage(browser, cairn, own);
  const addresses = [...titles.keys()];
  // Like the page's own frame on a phone; on a desktop, protected by the answer's policy alone.
  const frames = await show(page, addresses, test.info().project.name === "phone" ? asThePageDoes : undefined);
  expect(frames.length, "frames, and none inside them").toBe(files.length);
  expect(happened, "before anything is touched").toEqual([]);
  for (const frame of frames) {
    await touchEverything(frame);
    await expectHarmless(frame, titles.get(frame.url()) ?? "");
  }
  expect(happened, "after everything was touched").toEqual([]);
  expect(page.frames().length).toBe(1 + files.length);
  const reader = await page.evaluate(() => [(window as { hacked?: unknown }).hacked, document.title, location.pathname]);
  expect(reader).toEqual([undefined, expect.stringMatching(/^Events/), "/events"]);
  await context.close();
});

test("what a sanitizer let through would still run nothing, in a frame and in a tab of its own", async ({
  cairn,
  github,
  browser,
}) => {
  const name = "Not sanitized";
  await cairn.import(entry(name, github.serve("bare.ipynb", notebookOf("PLACE"))));
  const address = await frameAddress(cairn, await idOf(cairn, name));
  const own = address.split("?")[0] ?? "";
  const { context, page, happened } = await quietPage(browser, cairn, (url) => url.startsWith(own));
  // The answer with its headers, but with an unsanitized body.
  const evil = "https://evil.example";
  const call = `window.hacked = 1; document.title = 'hacked'; fetch('${cairn.url}/api/v1/rf/resources/public'); parent.postMessage('hacked', '*')`;
  const attack = `
    <script>${call}</script> <script nonce="" type="module">${call}</script> <script src="${evil}/x.js"></script> <img src="${evil}/pixel.png" onerror="${call}"> <svg onload="${call}"></svg>
    <iframe src="${evil}/"></iframe> <object data="${evil}/"></object> <link rel="stylesheet" href="${evil}/x.css">
    <style>@import url("${evil}/x.css"); main { background: url("${evil}/x.png") }</style> <video src="${evil}/v.mp4" autoplay></video>
    <form action="${cairn.url}/api/v1/rf/resources/public" target="_self"><button id="send">send</button></form>
    <a id="run" href="javascript:window.hacked=1" target="_self">run</a> <a id="top" href="${evil}/" target="_top">top</a>`;
  const { headers, body } = await readFrame(address);
  const answer = { status: 200, headers: headers as Record<string, string>, body: body.replace("PLACE", attack) };
  await context.route((url) => url.href.startsWith(own), (route) => route.fulfill(answer));

  const [frame] = await show(page, [address], undefined);
  const tab = await context.newPage();
  await tab.goto(address);
  for (const one of [frame, tab.mainFrame()]) {
    if (one === undefined) throw new Error("the frame is not there");
    await expect(one.locator("main")).toBeVisible();
    await one.locator("#send").click();
    await one.locator("#run").click();
    if (one === frame) await one.locator("#top").click();
    const state = await one.evaluate(() => {
      const reach = (what: () => unknown) => {
        try {
          return what();
        } catch (error) {
          return (error as Error).name;
        }
      };
      const { hacked } = window as { hacked?: unknown };
      return [hacked, document.title, self.origin, reach(() => document.cookie), reach(() => localStorage.length)];
    });
    expect(state).toEqual([undefined, name, "null", "SecurityError", "SecurityError"]);
  }
  await expect(page).toHaveURL(/\/events$/);
  for (const refused of [refusedScript, /Blocked form submission/, /^csp: .*pixel\.png/, /^csp: .*x\.css/, /Unsafe attempt to initiate navigation/]) {
    await expect.poll(() => happened.some((line) => refused.test(line)), `${refused} in ${happened.join("\n")}`).toBe(true);
  }
  expect(happened.filter((line) => !/^(console|csp): |^window: about:blank/.test(line))).toEqual([]);
  await context.close();
});
