import { randomUUID } from "node:crypto";
import Provider, { type Configuration } from "oidc-provider";
import { claimsOf, gatewayClient } from "./accounts";
import type { Memory } from "./memory";
import { logout, show } from "./pages";
import { jwkOf, type SigningKey, signedToken } from "./tokens";

const cookieKey = randomUUID();
const tokenLifetime = 5 * 60;
const longLifetime = 24 * 60 * 60;

/** The kind of tokens that a provider issues. */
export interface TokenOptions {
  /** Kind of access tokens (default jwt). */
  tokens?: "jwt" | "opaque";
  /** Issues refresh tokens for offline_access, which Cairn then requests (default false). */
  refresh?: boolean;
  /** Includes name and e-mail in the tokens, not only in userinfo (default true). */
  emailClaims?: boolean;
  /** `sid` in the tokens (default true). */
  sid?: boolean;
  /** `aud` of JWT access tokens, the name of an API (default: none; the client is in `azp`). */
  audience?: string;
}

/** Creates the library's provider with its issuer and storage. The first key signs; all are published. */
export function createProvider(url: string, memory: Memory, keys: [SigningKey, ...SigningKey[]], options: TokenOptions): Provider {
  const provider = new Provider(url, configuration(memory, keys, options));
  shapeAccessTokens(provider, keys[0], options);
  provider.on("server_error", (_, error) => console.error("The foreign provider failed", error));
  return provider;
}

function configuration(memory: Memory, keys: SigningKey[], options: TokenOptions): Configuration {
  const { refresh = false, emailClaims = true, sid = true } = options;
  return {
    adapter: memory.adapter,
    jwks: { keys: keys.map(jwkOf) },
    cookies: { keys: [cookieKey], long: { sameSite: "lax" } },
    routes: {
      ...{ authorization: "/authorize", token: "/token", userinfo: "/userinfo", jwks: "/keys" },
      ...{ introspection: "/introspect", revocation: "/revoke", end_session: "/logout" },
    },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === gatewayClient },
      revocation: { enabled: true },
      rpInitiatedLogout: { logoutSource: logout, postLogoutSuccessSource: (ctx) => show(ctx, "You are signed out") },
    },
    pkce: { methods: ["S256"], required: () => true },
    clientBasedCORS: (_, origin, client) => client.redirectUris?.some((uri) => new URL(uri).origin === origin) ?? false,
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    // No consent screen.
    loadExistingGrant: async ({ oidc: { provider, session, client } }) => {
      const [clientId = "", accountId = ""] = [client?.clientId, session?.accountId];
      const before = session?.grantIdFor(clientId);
      const grant = (before && (await provider.Grant.find(before))) || new provider.Grant({ clientId, accountId });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    issueRefreshToken: (_, _client, code) => refresh && "codeChallenge" in code && memory.offline.has(code.codeChallenge),
    rotateRefreshToken: true,
    ttl: {
      ...{ AccessToken: tokenLifetime, IdToken: tokenLifetime, AuthorizationCode: tokenLifetime },
      ...{ Grant: longLifetime, Interaction: longLifetime, RefreshToken: longLifetime, Session: longLifetime },
    },
    claims: { openid: ["sub", "sid"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false, // claims of the scopes go into ID tokens too
    findAccount: (_, subject, token) => ({
      accountId: subject,
      claims: (use) => ({
        sub: subject,
        ...(use === "id_token" && sid && { sid: token?.sessionUid }),
        ...((use === "userinfo" || emailClaims) && claimsOf(subject)),
      }),
    }),
    extraTokenClaims: (_, token) => ({
      azp: token.clientId,
      ...(emailClaims && "accountId" in token && claimsOf(token.accountId)),
    }),
    renderError: (ctx, { error, error_description }) => show(ctx, "This didn't work", `<p>${error}: ${error_description}</p>`),
  };
}

type AccessToken = InstanceType<Provider["AccessToken"]>;

/** Uses a JWT as the id of each access token. The library's own JWTs need an audience, and userinfo rejects them. */
function shapeAccessTokens(provider: Provider, key: SigningKey, { tokens, emailClaims = true, sid = true, audience }: TokenOptions) {
  const prototype = provider.AccessToken.prototype as AccessToken & { generateTokenId(): string };
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function () {
    if (sid && this.sessionUid) this.sid = this.sessionUid;
    const jti = generateTokenId.call(this);
    if (tokens === "opaque") return jti;
    const iat = Math.floor(Date.now() / 1000);
    return signedToken(key, {
      ...{ iss: provider.issuer, sub: this.accountId, azp: this.clientId, jti, iat, exp: iat + tokenLifetime, scope: this.scope },
      ...(audience && { aud: audience }),
      ...(this.sid && { sid: this.sid }),
      ...(emailClaims && claimsOf(this.accountId)),
    });
  };
}
