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

/** How the second provider behaves, and how Cairn verifies its tokens. */
export interface ForeignOptions extends TokenOptions {
  /** On Cairn's host, so that the provider's cookies are sent in hidden frames too (default: on another site). */
  sameSite?: boolean;
  /** Cairn's `oidc.token` (default jwt). */
  checkedBy?: "jwt" | "introspection" | "userinfo";
}

/** What a broken endpoint answers: 503, or 200 with different content. */
export type Disturbance = "unavailable" | "nonsense";

/**
 * The second, independent OpenID provider, on a separate origin. It's built on a different library than the embedded one
 * and issues different tokens, so a test that passes with both tests the protocol rather than one implementation. It runs
 * in the process of the tests, which can change its data and its answers.
 */
export class ForeignProvider {
  /** The issuer. */
  url = "";
  readonly #options: ForeignOptions;
  readonly #folder: string;
  readonly #memory = new Memory();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #answer: RequestListener = () => {};
  /** The published keys, newest first. */
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
    // Cookies ignore ports, so another site needs another host name.
    provider.url = `http://${options.sameSite ? "127.0.0.1" : "localhost"}:${port}`;
    await provider.rotateKeys();
    return provider;
  }

  /** Starts a demo server that uses this provider. */
  async startCairn({ checkedBy = "jwt", refresh = false, audience = "" }: ForeignOptions = {}): Promise<CairnServer> {
    const config = join(this.#folder, "cairn.yml");
    const secret = join(this.#folder, "secret");
    await writeFile(secret, gatewaySecret, { mode: 0o600 });
    // JSON is valid YAML.
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

  /** The number of requests by method, path and status, such as "POST /token 200". */
  requests(): Record<string, number> {
    return this.#requests;
  }

  forgetRequests(): void {
    this.#requests = {};
  }

  /** Breaks the endpoints at these paths, and restores all others. */
  disturb(paths: Record<string, Disturbance>): void {
    this.#disturbances = paths;
  }

  /** Signs with a new key; the old keys stay published. */
  async rotateKeys(): Promise<void> {
    await this.#sign(this.#keys);
  }

  /** Invalidates all access tokens, opaque ones and JWTs; logins and refresh tokens keep working. */
  async endAccessTokens(): Promise<void> {
    this.#memory.of("AccessToken").clear();
    await this.#sign([]);
  }

  /** Signs everybody out at the provider, which revokes refresh tokens too. */
  endLogins(): void {
    this.#memory.of("Session").clear();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Signs with a new key from now on, and keeps publishing these old ones. */
  async #sign(old: SigningKey[]) {
    const fresh = await newKey(`key-${randomUUID()}`);
    this.#keys = [fresh, ...old];
    // The library takes half a second to load, which listing tests shouldn't pay for.
    const { createProvider } = await import("../provider/library");
    const provider = createProvider(this.url, this.#memory, [fresh, ...old], this.#options);
    provider.use((ctx, next) => this.#handle(provider, ctx, next));
    this.#answer = provider.callback();
  }

  /** Registers the clients. The page's address is known only once Cairn runs, and Cairn needs the issuer's to start. */
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

  /** Serves our own pages, breaks what a test wants broken, and counts requests. */
  async #handle(provider: Provider, ctx: Context, next: () => Promise<void>) {
    const { path, method, query } = ctx;
    const disturbance = this.#disturbances[path];
    // Without prompt=consent, which other providers don't require, the library drops this scope.
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
