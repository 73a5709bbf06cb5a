import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Program, startProgram } from "./program";
import { CairnServer } from "./server";

const binary = process.env.CAIRN_E2E_PROVIDER ?? fileURLToPath(new URL("../../bin/e2e-provider", import.meta.url));
const gatewayClient = "cairn-gateway";
const gatewaySecret = "the secret of the tests' gateway";

/** How the second provider behaves, and how Cairn looks at its tokens. */
export interface ForeignOptions {
  /** At Cairn's own host, so that the provider's cookie reaches hidden frames too (default: on another site). */
  sameSite?: boolean;
  /** Kind of access tokens (default jwt). */
  tokens?: "jwt" | "opaque";
  /** Cairn's `oidc.token` (default jwt). */
  checkedBy?: "jwt" | "introspection" | "userinfo";
  /** Refresh tokens for those who ask for offline_access, which Cairn then does (default false). */
  refresh?: boolean;
  /** Name and e-mail in the tokens too, not only in userinfo (default true). */
  emailClaims?: boolean;
  /** `sid` in the tokens (default true). */
  sid?: boolean;
  /** `aud` of access tokens, the name of an API (default: none, the client stands in `azp`). */
  audience?: string;
}

/** What an endpoint may answer instead of the truth: 503, or 200 with something else. */
export type Disturbance = "unavailable" | "nonsense";

/** The accounts of the second provider, by what happens with them. */
export const accounts = {
  ada: { email: "ada@institution.example", name: "Ada Abel" },
  bob: { email: "bob@institution.example", name: "Bob Born" },
  /** The provider does not vouch for the e-mail. */
  unverified: { email: "eve@institution.example", name: "Eve Echo" },
  nameless: { email: "noname@institution.example", name: "" },
  /** Of a domain that Cairn does not enable. */
  guest: { email: "guest@elsewhere.example", name: "Gil Guest" },
} as const;

/** The second, independent OpenID provider, on a separate origin. */
export class ForeignProvider {
  /** The issuer. */
  url = "";
  readonly #folder: string;
  #process: Program | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(options: ForeignOptions = {}): Promise<ForeignProvider> {
    const provider = new ForeignProvider(await mkdtemp(join(tmpdir(), "cairn-provider-")));
    try {
      await provider.#launch(options);
    } catch (error) {
      await provider.close();
      throw error;
    }
    return provider;
  }

  /** Starts a demo server whose users sign in at this provider. */
  async startCairn({ checkedBy = "jwt", refresh = false, audience = "" }: ForeignOptions = {}): Promise<CairnServer> {
    const config = join(this.#folder, "cairn.yml");
    const secret = join(this.#folder, "secret");
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
    await this.#call("PUT", "/test/client", {
      redirectUri: `${cairn.url}/oauth_callback`,
      postLogoutUri: `${cairn.url}/`,
      origin: cairn.url,
    });
    return cairn;
  }

  /** How often what was asked for and how it ended, such as "POST /token refresh_token 200". */
  async requests(): Promise<Record<string, number>> {
    return (await this.#call("GET", "/test/requests")).json() as Promise<Record<string, number>>;
  }

  async forgetRequests(): Promise<void> {
    await this.#call("DELETE", "/test/requests");
  }

  /** Breaks the endpoints at these paths, and mends all others. */
  async disturb(paths: Record<string, Disturbance>): Promise<void> {
    await this.#call("PUT", "/test/disturbances", paths);
  }

  /** Signs with a new key; the old ones stay published. */
  async rotateKeys(): Promise<void> {
    await this.#call("POST", "/test/rotate-keys");
  }

  /** Makes every access token bad that it gave; logins and refresh tokens go on. */
  async endAccessTokens(): Promise<void> {
    await this.#call("POST", "/test/end-access-tokens");
  }

  /** Signs everybody out at the provider, which ends refresh tokens too. */
  async endLogins(): Promise<void> {
    await this.#call("POST", "/test/end-logins");
  }

  async close(): Promise<void> {
    await this.#process?.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #launch(options: ForeignOptions) {
    const { sameSite = false, tokens = "jwt", refresh = false, emailClaims = true, sid = true, audience = "" } = options;
    const secret = join(this.#folder, "secret");
    await writeFile(secret, gatewaySecret, { mode: 0o600 });
    this.#process = await startProgram(
      binary,
      [
        ...["--listen", "127.0.0.1:0", "--host", sameSite ? "127.0.0.1" : "localhost", "--tokens", tokens],
        ...["--audience", audience, "--introspection-secret-file", secret],
        ...[`--refresh=${refresh}`, `--email-claims=${emailClaims}`, `--sid=${sid}`],
      ],
      /^Provider at (\S+)\n/m,
    );
    this.url = this.#process.address;
  }

  async #call(method: string, path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(this.url + path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`The provider answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer;
  }
}
