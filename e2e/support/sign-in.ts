import { createHash, randomBytes } from "node:crypto";
import type { APIResponse, BrowserContext } from "@playwright/test";

const client_id = "data-catalog-portal";
/** ID token claims that the page's library doesn't store. */
const protocolClaims = new Set(["nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash"]);

interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  token_type: string;
  scope: string;
  expires_in: number;
}

/**
 * Signs a person in at the embedded provider over HTTP, and stores in the browser what a sign-in through the pages would:
 * the provider's cookies and the user. It replaces whoever was signed in.
 */
export async function signIn(context: BrowserContext, email: string): Promise<void> {
  const { request } = context;
  const metadata: Metadata = await (await expectStatus(200, request.get("/idp/.well-known/openid-configuration"))).json();
  const { origin } = new URL(metadata.issuer);
  const redirect_uri = `${origin}/oauth_callback`;
  const code_verifier = randomBytes(32).toString("base64url");
  const params = {
    ...{ client_id, redirect_uri, response_type: "code", scope: "openid email profile offline_access", prompt: "login" },
    ...{ state: randomBytes(16).toString("hex"), nonce: randomBytes(16).toString("hex") },
    ...{ code_challenge: createHash("sha256").update(code_verifier).digest("base64url"), code_challenge_method: "S256" },
  };
  const form = await expectStatus(200, request.get(metadata.authorization_endpoint, { params }));
  const proof = /name="proof" value="([^"]*)"/.exec(await form.text())?.[1] ?? "";
  const sent = await expectStatus(303, request.post(form.url(), { form: { proof, email }, maxRedirects: 0 }));
  const code = new URL(sent.headers().location ?? "").searchParams.get("code") ?? "";
  const exchange = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier };
  const answer = await expectStatus(200, request.post(metadata.token_endpoint, { form: exchange }));
  const { expires_in, ...tokens } = (await answer.json()) as Tokens;
  const claims = JSON.parse(Buffer.from(tokens.id_token.split(".")[1] ?? "", "base64url").toString()) as object;
  const user = {
    ...tokens,
    session_state: null, // this provider doesn't report on its sessions
    profile: Object.fromEntries(Object.entries(claims).filter(([name]) => !protocolClaims.has(name))),
    expires_at: Math.floor(Date.now() / 1000) + expires_in,
  };
  const stored = { name: `oidc.user:${metadata.issuer}:${client_id}`, value: JSON.stringify(user) };
  await context.setStorageState({ cookies: await context.cookies(), origins: [{ origin, localStorage: [stored] }] });
}

async function expectStatus(status: number, answer: Promise<APIResponse>): Promise<APIResponse> {
  const got = await answer;
  if (got.status() !== status) throw new Error(`${got.url()} answered ${got.status()}: ${await got.text()}`);
  return got;
}
