import { calls, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, dialog, failure, heading, main, type Scene, type Stage, type State } from "./state";

const discovery = "**/.well-known/openid-configuration";
const accounts = /^\/accounts$/;

const loginStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/login"), shows: (page) => main(page).getByRole("button", { name: "Institution Login", disabled: false }) },
  {
    name: "sent here to sign in",
    open: async ({ page }) => {
      await page.goto("/resources/starred");
      await page.waitForURL("**/login?redirect=%2Fresources%2Fstarred");
    },
    shows: (page) => main(page).getByRole("button", { name: "Institution Login" }),
  },
  {
    name: "loading",
    open: async ({ page }) => {
      await page.route(discovery, () => {});
      await page.goto("/login");
    },
    shows: (page) => main(page).getByText("Loading OIDC configuration..."),
  },
  {
    name: "unavailable",
    open: async ({ page, watch }) => {
      watch.expects(/status of 503/, /Sign-in|sign-in/);
      await page.route(discovery, (route) => route.fulfill({ status: 503 }));
      await page.goto("/login");
    },
    shows: (page) => main(page).getByRole("button", { name: /Try again/ }),
  },
];

const callbackStates: State[] = [
  {
    name: "not completed",
    open: ({ page, watch }) => {
      watch.expects(/The sign-in could not be completed/);
      return page.goto("/oauth_callback?state=unknown&error=access_denied");
    },
    shows: failure,
  },
  {
    name: "signing in",
    open: async ({ page }) => {
      await page.route("**/idp/token", () => {});
      await page.goto("/login");
      await main(page).getByRole("button", { name: "Institution Login" }).click();
      await page.getByRole("button", { name: people.colleague.email }).click();
      await page.waitForURL("**/oauth_callback?**");
    },
    shows: (page) => main(page).getByRole("status"),
  },
];

const accountStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/operator/accounts"), shows: (page) => main(page).getByRole("listitem").first() },
  {
    name: "menu of an account",
    open: ({ page }) => main(page).getByRole("button", { name: `More about ${people.colleague.email}` }).click(),
    shows: (page) => page.getByRole("menu"),
  },
  {
    name: "disable",
    open: async ({ page }) => {
      await page.keyboard.press("Escape");
      await main(page).getByRole("button", { name: `Disable ${people.colleague.email}` }).click();
    },
    shows: dialog,
  },
  {
    name: "decide by e-mail",
    open: async ({ page }) => {
      await page.keyboard.press("Escape");
      await main(page).getByRole("button", { name: "Add by e-mail" }).click();
    },
    shows: dialog,
  },
  {
    name: "no e-mail",
    open: async ({ page, watch }) => {
      watch.expects(/status of 422/);
      await dialog(page).getByRole("textbox").fill("nobody");
      await dialog(page).getByRole("textbox").press("Enter");
    },
    shows: (page) => dialog(page).locator("[aria-invalid=true]"),
  },
  { name: "nobody matches", open: ({ page }) => page.goto("/operator/accounts?search=no+such+person"), shows: (page) => main(page).getByRole("link", { name: /accounts/ }) },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, accounts);
      await arrive(stage, "/operator/accounts");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, accounts);
      await arrive(stage, "/operator/accounts");
    },
    shows: failure,
    patient: true,
  },
];

const activity = /^\/account\/activity$/;
const audit = /^\/operator\/audit$/;

const activityStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/account/activity"), shows: (page) => main(page).getByRole("listitem").first() },
  {
    name: "details",
    open: ({ page }) => main(page).getByRole("listitem").locator("summary").first().click(),
    shows: (page) => main(page).getByRole("definition").first(),
  },
  { name: "past the end", open: ({ page }) => page.goto("/account/activity?page=1000"), shows: (page) => main(page).getByRole("link", { name: "Show the newest" }) },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, activity);
      await arrive(stage, "/account/activity");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, activity);
      await arrive(stage, "/account/activity");
    },
    shows: failure,
    patient: true,
  },
];

const tokens = /^\/account\/tokens$/;

const tokenStates: State[] = [
  { name: "none", open: ({ page }) => page.goto("/account/tokens"), shows: (page) => main(page).getByText("You have no access tokens.") },
  {
    name: "create",
    open: ({ page }) => main(page).getByRole("button", { name: "Create a token" }).click(),
    shows: dialog,
  },
  {
    name: "without a scope",
    open: async ({ page }) => {
      await dialog(page).getByLabel("Name").fill("Laptop");
      await dialog(page).getByRole("checkbox", { name: "Read" }).uncheck();
      await dialog(page).getByLabel("Name").press("Enter");
    },
    shows: (page) => dialog(page).getByRole("alert"),
  },
  {
    name: "created",
    open: async ({ page }) => {
      await dialog(page).getByRole("checkbox", { name: "Read" }).check();
      await dialog(page).getByRole("checkbox", { name: "Run" }).check();
      await dialog(page).getByRole("button", { name: "Create", exact: true }).click();
    },
    shows: (page) => main(page).getByText(/^cairn_pat_/),
  },
  {
    name: "revoke",
    open: ({ page }) => main(page).getByRole("button", { name: "Revoke Laptop" }).click(),
    shows: dialog,
  },
  {
    name: "revoked",
    open: ({ page }) => dialog(page).getByRole("button", { name: "Revoke" }).click(),
    shows: (page) => main(page).getByText("You have no access tokens."),
  },
  {
    name: "expired",
    open: async (stage) => {
      await stage.page.route(calls(tokens), (route) =>
        route.fulfill({
          json: {
            content: [{ id: "0", name: "Nightly download", scopes: ["read"], createdAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-08T00:00:00Z", expired: true }],
            totalElements: 1,
            number: 0,
            size: 50,
          },
        }),
      );
      await arrive(stage, "/account/tokens");
    },
    shows: (page) => main(page).getByText("Expired", { exact: true }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, tokens);
      await arrive(stage, "/account/tokens");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, tokens);
      await arrive(stage, "/account/tokens");
    },
    shows: failure,
    patient: true,
  },
];

const connections = /^\/account\/connections$/;

const gitlab = {
  host: "gitlab",
  label: "GitLab",
  kind: "gitlab",
  url: "https://gitlab.com",
  oauth: true,
  tokenUrl: "https://gitlab.com/-/user_settings/personal_access_tokens",
  scopes: ["read_user", "read_api", "read_repository"],
  grantsUrl: "https://gitlab.com/-/user_settings/applications",
};
const forgejo = { host: "forgejo", label: "Forgejo of the institute", kind: "gitea", url: "https://git.example.org", oauth: false, scopes: ["read:user", "read:repository"] };
const zenodo = { host: "zenodo", label: "Zenodo", kind: "zenodo", url: "https://zenodo.org", oauth: false, scopes: ["deposit:write", "deposit:actions"] };
const kept = {
  host: "gitlab",
  account: "casey",
  granted: ["identity", "read"],
  scopes: ["read_user", "read_api", "read_repository"],
  way: "oauth",
  createdAt: "2026-03-02T10:00:00Z",
  keptAt: "2026-03-02T10:01:00Z",
};
const waitingToken = {
  host: "gitlab",
  account: "casey",
  granted: ["identity", "read", "write"],
  scopes: ["api", "read_user"],
  way: "token",
  createdAt: "2026-03-02T10:05:00Z",
  keptAt: null,
};

/** Opens the page with hosts that a server of this test doesn't have. */
async function showHosts(stage: Stage, ...content: object[]): Promise<void> {
  await stage.page.route(calls(connections), (route) => route.fulfill({ json: { content, totalElements: content.length, number: 0, size: content.length } }));
  await arrive(stage, "/account/connections");
}

const connectionStates: State[] = [
  { name: "none", open: (stage) => showHosts(stage, gitlab, forgejo), shows: (page) => main(page).getByText("Not connected").first() },
  {
    name: "personal token",
    open: ({ page }) => main(page).getByRole("button", { name: "Use a personal token: GitLab" }).click(),
    shows: dialog,
  },
  {
    name: "token refused",
    open: async (stage) => {
      await refuse(stage, /^\/account\/connections\/gitlab$/, { status: 422, message: "GitLab doesn't accept this token." });
      await dialog(stage.page).getByLabel("Personal token").fill("glpat-of-somebody-else");
      await dialog(stage.page).getByLabel("Personal token").press("Enter");
    },
    shows: (page) => dialog(page).locator("[aria-invalid=true]"),
  },
  {
    name: "waiting",
    open: (stage) => showHosts(stage, { ...gitlab, waiting: { ...waitingToken, granted: ["identity", "read"], scopes: ["read_user", "read_api"], way: "oauth" } }, forgejo),
    shows: (page) => main(page).getByRole("button", { name: "Keep it: GitLab", exact: true }),
  },
  {
    name: "waiting at an archive",
    open: (stage) => showHosts(stage, gitlab, { ...zenodo, waiting: { ...waitingToken, host: "zenodo", account: "", granted: ["read", "write", "unknown"], scopes: [] } }),
    shows: (page) => main(page).getByText("Make deposits, change drafts and publish them"),
  },
  {
    name: "waiting with too many rights",
    open: (stage) => showHosts(stage, { ...gitlab, connection: kept, waiting: waitingToken }, forgejo),
    shows: (page) => main(page).getByText("This is more than reading takes"),
  },
  {
    name: "not kept",
    open: ({ page }) => main(page).getByRole("button", { name: "Don't keep it: GitLab" }).click(),
    shows: (page) => main(page).getByText(/^You didn't keep the new connection/),
  },
  {
    name: "connected",
    open: (stage) => showHosts(stage, { ...gitlab, connection: kept }, { ...forgejo, connection: { ...kept, host: "forgejo", account: "", way: "token", granted: ["all", "unknown"] } }),
    shows: (page) => main(page).getByText(/^Connected as casey since/),
  },
  {
    name: "disconnect",
    open: ({ page }) => main(page).getByRole("button", { name: "Disconnect: GitLab" }).click(),
    shows: dialog,
  },
  {
    name: "disconnected, perhaps still valid",
    open: async (stage) => {
      await stage.page.route(calls(/^\/account\/connections\/gitlab$/), (route) => route.fulfill({ json: { revoked: false } }));
      await stage.page.route(calls(connections), (route) => route.fulfill({ json: { content: [gitlab, forgejo], totalElements: 2, number: 0, size: 2 } }));
      await dialog(stage.page).getByRole("button", { name: "Disconnect" }).click();
    },
    shows: (page) => main(page).getByRole("link", { name: "Take it back at GitLab" }),
  },
  {
    name: "with problems",
    open: (stage) => showHosts(stage, { ...gitlab, connection: { ...kept, problem: "refused" } }, { ...forgejo, connection: { ...kept, host: "forgejo", way: "token", problem: "key_missing" } }),
    shows: (page) => main(page).getByText("Must be connected again").first(),
  },
  { name: "no hosts", open: (stage) => showHosts(stage), shows: (page) => main(page).getByText("No account can be connected here.") },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, connections);
      await arrive(stage, "/account/connections");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, connections);
      await arrive(stage, "/account/connections");
    },
    shows: failure,
    patient: true,
  },
];

const connectedStates: State[] = [
  { name: "not let in", open: ({ page }) => page.goto("/account/connected?error=access_denied&state=x"), shows: failure },
  { name: "not begun here", open: ({ page }) => page.goto("/account/connected?code=x&state=x"), shows: failure },
  {
    name: "finishing",
    open: async ({ page }) => {
      await hold(page, /^\/account\/connections\/gitlab$/);
      await page.evaluate(() => sessionStorage.setItem("cairn.connecting", "gitlab"));
      await page.goto("/account/connected?code=x&state=x");
    },
    shows: (page) => main(page).getByRole("status"),
  },
  {
    name: "too late",
    open: async (stage) => {
      await refuse(stage, /^\/account\/connections\/gitlab$/, { status: 422, message: "This sign-in at GitLab was begun elsewhere, or too long ago. Begin again in your account's settings." });
      await stage.page.evaluate(() => sessionStorage.setItem("cairn.connecting", "gitlab"));
      await stage.page.goto("/account/connected?code=x&state=x");
    },
    shows: failure,
  },
  {
    name: "finished",
    open: async (stage) => {
      const { page } = stage;
      await page.route(calls(/^\/account\/connections\/gitlab$/), (route) => route.fulfill({ status: 201, json: waitingToken }));
      await page.route(calls(connections), (route) => route.fulfill({ json: { content: [{ ...gitlab, waiting: waitingToken }], totalElements: 1, number: 0, size: 1 } }));
      await page.evaluate(() => sessionStorage.setItem("cairn.connecting", "gitlab"));
      await page.goto("/account/connected?code=x&state=x");
      await page.waitForURL("**/account/connections");
    },
    shows: (page) => main(page).getByRole("button", { name: "Keep it: GitLab", exact: true }),
  },
];

const auditStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/operator/audit"), shows: (page) => main(page).getByRole("listitem").locator("summary").first() },
  {
    name: "details",
    open: ({ page }) => main(page).getByRole("listitem").locator("summary").first().click(),
    shows: (page) => main(page).getByRole("definition").first(),
  },
  {
    name: "nothing matches",
    open: async ({ page }) => {
      const filters = main(page).getByText("Filters", { exact: true });
      if (await filters.isVisible()) await filters.click();
      await main(page).getByLabel("Who").fill("nobody@example.org");
      await main(page).getByLabel("Who").press("Enter");
    },
    shows: (page) => main(page).getByRole("link", { name: "Show all records" }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, audit);
      await arrive(stage, "/operator/audit");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, audit);
      await arrive(stage, "/operator/audit");
    },
    shows: failure,
    patient: true,
  },
];

const providerStates: State[] = [
  {
    name: "accounts of the demo",
    open: async ({ page }) => {
      await page.goto("/login");
      await main(page).getByRole("button", { name: "Institution Login" }).click();
    },
    shows: (page) => page.getByRole("button", { name: people.researcher.email }),
  },
  {
    name: "refused",
    open: ({ page, watch }) => {
      watch.expects(/status of 400/);
      return page.goto("/idp/authorize?client_id=unknown&response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2F");
    },
    shows: heading(/\w/),
  },
];

/** Signing in, and accounts. */
export const identityScenes: Scene[] = [
  { name: "login", route: "/login", states: loginStates },
  { name: "callback", route: "/oauth_callback", states: callbackStates },
  { name: "accounts", route: "/operator/accounts", as: people.operator, states: accountStates },
  { name: "activity", route: "/account/activity", as: people.colleague, states: activityStates },
  { name: "tokens", route: "/account/tokens", as: people.colleague, states: tokenStates },
  { name: "connections", route: "/account/connections", as: people.colleague, states: connectionStates },
  { name: "connected", route: "/account/connected", as: people.colleague, states: connectedStates },
  { name: "audit", route: "/operator/audit", as: people.operator, states: auditStates },
  {
    name: "audit of nobody",
    route: "/operator/audit",
    as: people.colleague,
    states: [
      {
        name: "not an operator",
        open: ({ page }) => page.goto("/operator/audit"),
        shows: (page) => main(page).getByRole("link", { name: "Go to your activity" }),
      },
    ],
  },
  {
    name: "accounts of nobody",
    route: "/operator/accounts",
    as: people.colleague,
    states: [
      {
        name: "not an operator",
        open: ({ page, watch }) => {
          watch.expects(/status of 403/);
          return page.goto("/operator/accounts");
        },
        shows: (page) => main(page).getByRole("link", { name: /sessions/ }),
      },
    ],
  },
  { name: "provider", route: "embedded identity provider", states: providerStates },
];

