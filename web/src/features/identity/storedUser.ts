/** What the page needs from the user that the sign-in library keeps in local storage, read without loading that library. */
export interface StoredUser {
  subject: string;
  email: string;
  name: string;
  accessToken: string;
  idToken: string | undefined;
  /** In milliseconds since 1970; undefined when the provider gave no lifetime. */
  expiresAt: number | undefined;
  /** Whether the provider can report that its own session has ended. */
  watchable: boolean;
}

/**
 * Replaces a user whose sign-in the provider no longer renews, so that tabs can distinguish it from a sign-out, which
 * removes the user: only a sign-out closes their pages.
 */
export const endedUser = "{}";

/** Parses a stored user; null if there is none or it is invalid. */
export function parseStoredUser(text: string | null): StoredUser | null {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "null");
  } catch {
    return null;
  }
  if (!isRecord(stored) || !isRecord(stored.profile)) {
    return null;
  }
  const { access_token: accessToken, id_token: idToken, expires_at: expiresAt, session_state: sessionState } = stored;
  const { sub, email, name } = stored.profile;
  if (typeof accessToken !== "string" || accessToken === "" || typeof sub !== "string") {
    return null;
  }
  return {
    subject: sub,
    email: typeof email === "string" ? email : "",
    name: typeof name === "string" ? name.trim() : "",
    accessToken,
    idToken: typeof idToken === "string" ? idToken : undefined,
    expiresAt: typeof expiresAt === "number" ? expiresAt * 1000 : undefined,
    watchable: typeof sessionState === "string" && sessionState !== "",
  };
}

/** Milliseconds for which the access token is good; Infinity when the provider gave no lifetime. */
export function timeLeft(user: StoredUser, now: number): number {
  return user.expiresAt === undefined ? Number.POSITIVE_INFINITY : user.expiresAt - now;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
