import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Provider from "oidc-provider";
import { gatewayClient, portalClient } from "../provider/accounts";
import type { TokenOptions } from "../provider/library";
import { Memory } from "../provider/memory";
import { type Context, login } from "../provider/pages";
import { newKey, type SigningKey } from "../provider/tokens";
import { CairnServer } from "./server";

export { accounts } from "../provider/accounts";

const gatewaySecret = "the secret of the tests' gateway";

/** How the second provider behaves, and how Cairn looks at its tokens. */
export interface ForeignOptions extends TokenOptions {
  /** At Cairn's own host, so that the provider's cookie reaches hidden frames too (default: on another site). */
  sameSite?: boolean;
  /** Cairn's `oidc.token` (default jwt). */
  checkedBy?: "jwt" | "introspection" | "userinfo";
}

/** What an endpoint may answer instead of the truth: 503, or 200 with something else. */
export type Disturbance = "unavailable" | "nonsense";

/**
 * The second, independent OpenID provider, on a separate origin. It's built on another library than the embedded one and
 * makes tokens of another shape, so that a test that passes with both says something about the protocol and not about one
 * implementation. It runs in the process of the tests, which change what it keeps and how it answers.
 */
export class ForeignProvider {
  /** The issuer. */
  url = "";
  readonly #options: ForeignOptions;
  readonly #folder: string;
  readonly #memory = new Memory();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #answer: RequestListener = () => {};
  /** Those that are published, newest first. */
  #keys: SigningKey[] = [];
  #disturbances: Record<string, Disturbance> = {};
  #requests: Record<string, number> = {};

  private constructor(options: ForeignOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async start(options: ForeignOptions = {}): Promise<ForeignProvider> {
    const provider = new ForeignProvider(options, await mkdtemp(join(tmpdir(), "cairn-provider-")));
    await once(provider.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = provider.#server.address() as AddressInfo;
    // Cookies ignore ports: another site is another name.
    provider.url = `http://${options.sameSite ? "127.0.0.1" : "localhost"}:${port}`;
    await provider.rotateKeys();
    return provider;
  }

  /** Starts a demo server whose users sign in at this provider. */
  async startCairn({ checkedBy = "jwt", refresh = false, audience = "" }: ForeignOptions = {}): Promise<CairnServer> {
    const config = join(this.#folder, "cairn.yml");
    const secret = join(this.#folder, "secret");
    await writeFile(secret, gatewaySecret, { mode: 0o600 });
    // JSON is YAML too.
    const scope = `openid email profile${refresh ? " offline_access" : ""}`;
    const introspection = checkedBy === "introspection" ? { introspection: { client_id: gatewayClient } } : {};
    const oidc = { issuer: this.url, scope, audience, token: checkedBy, ...introspection };
    const enable = { domains: ["institution.example"] };
    await writeFile(config, JSON.stringify({ oidc, accounts: { enable, contact: "operators@institution.example" } }));
    const cairn = await CairnServer.start({
      flags: ["--config", config],
      environment: checkedBy === "introspection" ? { CAIRN_OIDC_INTROSPECTION_CLIENT_SECRET_FILE: secret } : {},
    });
    this.#register(cairn.url);
    return cairn;
  }

  /** How often what was asked for and how it ended, such as "POST /token 200". */
  requests(): Record<string, number> {
    return this.#requests;
  }

  forgetRequests(): void {
    this.#requests = {};
  }

  /** Breaks the endpoints at these paths, and mends all others. */
  disturb(paths: Record<string, Disturbance>): void {
    this.#disturbances = paths;
  }

  /** Signs with a new key; the old ones stay published. */
  async rotateKeys(): Promise<void> {
    await this.#sign(this.#keys);
  }

  /** Makes every access token bad, whether it's looked up or verified by key; logins and refresh tokens go on. */
  async endAccessTokens(): Promise<void> {
    this.#memory.of("AccessToken").clear();
    await this.#sign([]);
  }

  /** Signs everybody out at the provider, which ends refresh tokens too. */
  endLogins(): void {
    this.#memory.of("Session").clear();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Signs with a new key from now on, and goes on publishing these old ones. */
  async #sign(old: SigningKey[]) {
    const fresh = await newKey(`key-${randomUUID()}`);
    this.#keys = [fresh, ...old];
    // The library takes half a second to load, also where tests are only listed.
    const { createProvider } = await import("../provider/library");
    const provider = createProvider(this.url, this.#memory, [fresh, ...old], this.#options);
    provider.use((ctx, next) => this.#handle(provider, ctx, next));
    this.#answer = provider.callback();
  }

  /** Registers the clients: the address of the page is known only once Cairn runs, which starts with the issuer's. */
  #register(page: string) {
    const clients = this.#memory.of("Client");
    clients.set(portalClient, {
      client_id: portalClient,
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [`${page}/oauth_callback`],
      post_logout_redirect_uris: [`${page}/`],
    });
    const nothing = { redirect_uris: [], response_types: [], grant_types: [] };
    clients.set(gatewayClient, { client_id: gatewayClient, client_secret: gatewaySecret, ...nothing });
  }

  /** Answers what isn't the library's, breaks what a test wants broken, and counts. */
  async #handle(provider: Provider, ctx: Context, next: () => Promise<void>) {
    const { path, method, query } = ctx;
    const disturbance = this.#disturbances[path];
    // The library drops this scope where prompt=consent is missing, which other providers don't ask for.
    if (path === "/authorize" && String(query.scope).split(" ").includes("offline_access")) {
      this.#memory.offline.add(query.code_challenge);
    }
    if (disturbance) {
      ctx.set("Access-Control-Allow-Origin", "*");
      ctx.status = disturbance === "unavailable" ? 503 : 200;
      ctx.body = { message: "This is not what you asked for." };
    } else if (path.startsWith("/login/")) await login(provider, ctx);
    else await next();
    const what = `${method} ${path} ${ctx.status}`;
    this.#requests[what] = (this.#requests[what] ?? 0) + 1;
  }
}
