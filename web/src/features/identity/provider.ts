import { ErrorResponse, type OidcMetadata, type User, UserManager } from "oidc-client-ts";
import { requestTimeout } from "@/lib/constants";
import type { Renewal, SignInClient } from "./authStore";
import { discover } from "./discovery";
import { storageKey } from "./knownSignIn";
import { Superseded, UserStore } from "./userStore";

/*
 * The only file that depends on the sign-in library; it is loaded for a sign-in, a sign-out or a renewal. The library's
 * timer is not used, because it doesn't lock between tabs (see authStore.ts).
 */

/** The sign-in configuration from the server. */
export interface OidcSettings {
  issuer: string;
  discoveryUrl: string;
  clientId: string;
  scope: string;
  prompt?: string | undefined;
  extraParams?: Record<string, string> | undefined;
  institutionHint?: { name: string; value: string } | null | undefined;
}

const seconds = (milliseconds: number) => milliseconds / 1000;
const staleStateAge = 15 * 60_000;
const sessionCheckInterval = 2_000;

/** Errors that mean that the provider will never renew this sign-in. Others may be temporary. */
const refusals = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_token",
  "login_required",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** Fetches the discovery document and creates the client. `onSignedOut` is called when the provider's session ends. */
export async function connect(settings: OidcSettings, onSignedOut: () => void): Promise<SignInClient> {
  const metadata = await discover(settings.discoveryUrl, settings.issuer);
  const store = new UserStore(localStorage);
  const manager = new UserManager({
    ...basics(settings),
    metadata,
    userStore: store,
    post_logout_redirect_uri: `${location.origin}/`,
    scope: settings.scope,
    ...(settings.prompt && { prompt: settings.prompt }),
    extraQueryParams: {
      ...settings.extraParams,
      ...(settings.institutionHint && { [settings.institutionHint.name]: settings.institutionHint.value }),
    },
    requestTimeoutInSeconds: seconds(requestTimeout),
    silentRequestTimeoutInSeconds: seconds(requestTimeout),
    staleStateAgeInSeconds: seconds(staleStateAge),
    monitorSession: metadata.check_session_iframe !== undefined,
    checkSessionIntervalInSeconds: seconds(sessionCheckInterval),
  });
  manager.events.addUserSignedOut(onSignedOut);

  const renew = async (): Promise<Renewal> => {
    const release = store.guard(storageKey(settings));
    try {
      const before = await manager.getUser();
      // Another tab signed out or ended the sign-in, which this tab notices only now.
      if (before?.profile === undefined) throw new Superseded();
      const user = await silently(manager, store, before);
      if (user) await completeProfile(manager, metadata, user, before);
      return "renewed";
    } catch (cause) {
      if (cause instanceof Superseded) return "superseded";
      if (isRefusal(cause)) return "refused";
      throw cause;
    } finally {
      release();
    }
  };

  return {
    signIn: (returnTo) => manager.signinRedirect({ state: { returnTo } }),
    // The library polls whether the window was closed, but a provider that severs its windows from their opener looks the
    // same. The window has a name, so that another try reuses it.
    signInBeside: async () => {
      const user = await manager.signinPopup({ popupWindowTarget: "cairn-sign-in" });
      await completeProfile(manager, metadata, user, null);
    },
    complete: async (address) => {
      const user = await manager.signinRedirectCallback(address);
      await completeProfile(manager, metadata, user, null);
      return (user.state as { returnTo?: unknown } | undefined)?.returnTo;
    },
    renew,
    signOut: async (idToken) => {
      if (metadata.end_session_endpoint === undefined) {
        location.assign("/");
        return;
      }
      await manager.signoutRedirect({ ...(idToken && { id_token_hint: idToken }), extraQueryParams: {} });
    },
  };
}

/** In the hidden frame of a silent renewal: passes the provider's answer to the page around it. */
export async function answerParent(settings: OidcSettings): Promise<void> {
  await new UserManager(basics(settings)).signinSilentCallback();
}

function basics(settings: OidcSettings) {
  return {
    authority: settings.issuer,
    client_id: settings.clientId,
    redirect_uri: `${location.origin}/oauth_callback`,
    automaticSilentRenew: false,
  };
}

/** In the separate sign-in window: passes the provider's answer to the page, and closes the window if it can. */
export async function answerOpener(settings: OidcSettings): Promise<void> {
  await new UserManager(basics(settings)).signinPopupCallback();
}

/** By refresh token if there is one; without, or when it is refused, by the provider's own session in a hidden frame. */
async function silently(manager: UserManager, store: UserStore, before: User): Promise<User | null> {
  if (before.refresh_token) {
    try {
      return await manager.signinSilent();
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
    }
  }
  store.check();
  return manager.signinSilent({ forceIframeAuth: true });
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof ErrorResponse && refusals.has(cause.error ?? "");
}

/** Some providers return e-mail and name only from userinfo, and many leave them out of the ID token of a refresh. */
async function completeProfile(
  manager: UserManager,
  metadata: Partial<OidcMetadata>,
  user: User,
  before: User | null,
): Promise<void> {
  if (user.profile.email !== undefined) {
    return;
  }
  if (before?.profile.sub === user.profile.sub && before.profile.email !== undefined) {
    user.profile = { ...before.profile, ...user.profile };
  } else if (metadata.userinfo_endpoint !== undefined) {
    const claims = await userInfo(metadata.userinfo_endpoint, user.access_token);
    if (claims?.sub !== user.profile.sub) {
      return;
    }
    user.profile = { ...claims, ...user.profile };
  }
  await manager.storeUser(user);
}

async function userInfo(endpoint: string, token: string): Promise<Record<string, unknown> | null> {
  try {
    const answer = await fetch(endpoint, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(requestTimeout),
    });
    return answer.ok ? await answer.json() : null;
  } catch (cause) {
    console.error("The identity provider's userinfo cannot be read", cause);
    return null;
  }
}
