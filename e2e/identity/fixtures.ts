import { test as base, type BrowserContext, expect, type Page } from "@playwright/test";
import { arriveWhenDrawn } from "../support/drawn";
import { people } from "../support/people";
import { accounts, type ForeignOptions, ForeignProvider } from "../support/provider";
import { CairnServer } from "../support/server";
import { Watch } from "../support/watch";

/** A kind of identity provider that the journeys run against. */
export interface Setup {
  title: string;
  /** "@all" for setups that other setups partly cover: `make test-all` runs them. */
  tag?: "@all";
  /** Undefined: the embedded provider. */
  foreign?: ForeignOptions;
}

export const embedded: Setup = { title: "embedded provider" };
export const foreignJwt: Setup = { title: "foreign provider, JWT, same site", foreign: { sameSite: true } };
export const foreignJwtRefresh: Setup = { title: "foreign provider, JWT, refresh tokens", tag: "@all", foreign: { refresh: true } };

/** Foreign providers with every kind of token, with and without refresh tokens. */
export const foreignSetups: Setup[] = [
  foreignJwt,
  foreignJwtRefresh,
  {
    title: "foreign provider, JWT without e-mail and sid, for an API",
    tag: "@all",
    foreign: { emailClaims: false, sid: false, audience: "institution-api" },
  },
  {
    title: "foreign provider, opaque tokens, introspection, same site",
    tag: "@all",
    foreign: { tokens: "opaque", checkedBy: "introspection", sameSite: true },
  },
  {
    title: "foreign provider, opaque tokens, introspection, refresh tokens",
    tag: "@all",
    foreign: { tokens: "opaque", checkedBy: "introspection", refresh: true },
  },
  {
    title: "foreign provider, opaque tokens, userinfo, refresh tokens",
    tag: "@all",
    foreign: { tokens: "opaque", checkedBy: "userinfo", refresh: true, emailClaims: false, sid: false },
  },
];

/** Test details for a setup. */
export const tagsOf = ({ tag }: Setup) => (tag ? { tag } : {});

/** How a sign-in can be renewed: browsers don't send another site's cookies in hidden frames. */
export function renewal({ foreign }: Setup): "refresh token" | "hidden frame" | "none" {
  return foreign === undefined || foreign.refresh ? "refresh token" : foreign.sameSite ? "hidden frame" : "none";
}

/** A person as the providers know them. */
export interface Someone {
  email: string;
  name: string;
}

/** What the journeys need from their provider. */
export class Provider {
  /** Two people who are enabled and have a verified e-mail. */
  readonly first: Someone;
  readonly second: Someone;
  /** The second provider, with its controls. The embedded one has none. */
  readonly foreign: ForeignProvider | undefined;
  readonly #origin: string;

  constructor(cairn: CairnServer, foreign: ForeignProvider | undefined) {
    this.foreign = foreign;
    this.#origin = foreign?.url ?? `${cairn.url}/idp`;
    this.first = foreign ? accounts.ada : people.researcher;
    this.second = foreign ? accounts.bob : people.colleague;
  }

  /** The second provider, for tests that do not run with the embedded one. */
  get levers(): ForeignProvider {
    if (!this.foreign) throw new Error("The embedded provider has no levers");
    return this.foreign;
  }

  /** Reports whether an address belongs to the provider. */
  owns(address: string | URL): boolean {
    return String(address).startsWith(`${this.#origin}/`);
  }

  /** Waits for the provider's own login page. */
  async expectLoginPage(page: Page): Promise<void> {
    await expect(page).toHaveURL((address) => this.owns(address));
    const control = this.foreign ? page.getByLabel("E-mail") : page.getByRole("button", { name: this.first.email });
    await expect(control).toBeVisible();
  }

  /** Signs in on the provider's open login page. */
  async enter(page: Page, someone: Someone): Promise<void> {
    await this.expectLoginPage(page);
    if (this.foreign) {
      await page.getByLabel("E-mail").fill(someone.email);
      await page.getByRole("button", { name: "Sign in" }).click();
    } else {
      await page.getByRole("button", { name: someone.email }).click();
    }
  }

  /** Opens a page that requires sign-in, and signs in as that person. */
  async open(page: Page, someone: Someone, path: string): Promise<void> {
    await page.goto(path);
    await page.getByRole("button", { name: "Institution Login" }).click();
    await this.enter(page, someone);
    await expect(page).toHaveURL(path);
    await expect(userMenu(page, someone)).toBeVisible();
  }

  /** Ends the provider's session in this browser, as if its cookie had expired. */
  async forget(context: BrowserContext): Promise<void> {
    await context.clearCookies({ domain: new URL(this.#origin).hostname });
    expect(await context.cookies(this.#origin), "cookies of the provider").toEqual([]);
  }

  /** Collects the status codes of all refresh token requests, from all tabs. */
  watchRefreshes(context: BrowserContext): number[] {
    const statuses: number[] = [];
    context.on("response", (response) => {
      const refresh = new URLSearchParams(response.request().postData() ?? "").get("grant_type") === "refresh_token";
      if (refresh && this.owns(response.url())) statuses.push(response.status());
    });
    return statuses;
  }
}

/** Cairn with its provider. Only one pair runs at a time, shared by the tests of a group. */
class Stage {
  cairn: CairnServer | undefined;
  foreign: ForeignProvider | undefined;
  #setup: Setup | undefined;

  async set(setup: Setup): Promise<{ cairn: CairnServer; foreign: ForeignProvider | undefined }> {
    if (this.#setup !== setup || !this.cairn) {
      await this.clear();
      this.#setup = setup;
      this.foreign = setup.foreign && (await ForeignProvider.start(setup.foreign));
      this.cairn = await (this.foreign ? this.foreign.startCairn(setup.foreign) : CairnServer.start());
    }
    return { cairn: this.cairn, foreign: this.foreign };
  }

  async clear(): Promise<void> {
    const { cairn, foreign } = this;
    this.cairn = this.foreign = undefined;
    await foreign?.close();
    await cairn?.close();
  }
}

/** The usual test function, with the provider that a group names as its `setup`. */
export const test = base.extend<
  { setup: Setup; cairn: CairnServer; provider: Provider; watch: Watch },
  { stage: Stage }
>({
  setup: [embedded, { option: true }],
  stage: [
    async ({}, use) => {
      const stage = new Stage();
      await use(stage);
      await stage.clear();
    },
    { scope: "worker" },
  ],
  cairn: async ({ stage, setup }, use) => use((await stage.set(setup)).cairn),
  baseURL: async ({ cairn }, use) => use(cairn.url),
  page: async ({ page }, use) => {
    arriveWhenDrawn(page);
    await use(page);
  },
  provider: async ({ cairn, stage }, use) => {
    await use(new Provider(cairn, stage.foreign));
    stage.foreign?.disturb({});
  },
  watch: [
    async ({ context, cairn, stage: { foreign } }, use) => {
      const watch = new Watch();
      await watch.attach(foreign ? withoutRequestsTo(context, foreign.url) : context, cairn);
      await use(watch);
      watch.assertQuiet();
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";

/** The context for the watch: the provider is the only other host that pages may contact. */
function withoutRequestsTo(context: BrowserContext, origin: string): BrowserContext {
  const on = (event: "request", tell: (request: { url(): string }) => void) =>
    context.on(event, (about) => {
      if (event !== "request" || !about.url().startsWith(`${origin}/`)) tell(about);
    });
  return new Proxy(context, {
    get: (target, name) => {
      if (name === "on") return on;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The user menu's button; it shows the e-mail if the provider sends no name. */
export function userMenu(page: Page, { name, email }: Someone) {
  return page.getByRole("button", { name: `Account of ${name || email}` });
}

/** Returns the user stored by the page; null when nobody is signed in. */
export async function storedUser(page: Page): Promise<{ access_token: string; refresh_token?: string } | null> {
  return page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.startsWith("oidc.user:"));
    return JSON.parse((key && localStorage.getItem(key)) || "null");
  });
}

/** Waits until the page stores a new access token, and returns it. */
export async function expectRenewed(page: Page, before: string): Promise<string> {
  let now = "";
  await expect
    .poll(async () => {
      now = (await storedUser(page))?.access_token ?? "";
      return now !== "" && now !== before;
    })
    .toBe(true);
  return now;
}

/** Long enough for a five-minute token to be renewed, which happens a minute before it expires. */
export const untilRenewal = 4 * 60_000 + 1_000;

/** Errors logged by the list of sessions while the clock jumps or the server is down; it retries after a while. */
export const listInterrupted = /The sessions cannot be brought up to date/;
