import { createContext, useContext } from "react";

/** Who is signed in, as the page shows it. `name` is empty when the identity provider gave none: show the e-mail then. */
export interface SignedInUser {
  subject: string;
  email: string;
  name: string;
}

/**
 * Why nobody is signed in although somebody wanted to be. `ended`: the identity provider no longer renews this sign-in;
 * the page may stay and offer to sign in again. `unreachable`: it couldn't be reached; the page retries automatically.
 * `signin`, `signout`: that step failed.
 */
export interface AuthError {
  kind: "ended" | "unreachable" | "signin" | "signout";
  message: string;
}

export interface AuthSnapshot {
  state: "loading" | "anonymous" | "authenticated" | "error";
  user?: SignedInUser;
  error?: AuthError;
}

export interface Auth extends AuthSnapshot {
  /** Leaves for the identity provider and comes back to `returnTo` (default: this address). Never rejects: a failure becomes a notice. */
  login(returnTo?: string): Promise<void>;
  /** Signs in through a window beside this page, which stays unchanged. Rejects when that fails or the window is blocked. */
  loginBeside(): Promise<void>;
  /** Forgets the user in every tab, then signs out at the identity provider and comes back to `/`. Never rejects. */
  logout(): Promise<void>;
  /** Prepares the sign-in, so that the click is quick; rejects while the identity provider can't be reached. */
  prepare(): Promise<void>;
  /** Completes the sign-in in `address`; returns the address on our origin to go to, or rejects. */
  complete(address: string): Promise<string>;
  /** In the hidden frame of a silent renewal: hands the provider's answer to the page around it. */
  answerParent(): Promise<void>;
  /** In the window of a sign-in beside a page: hands the provider's answer to that page. */
  answerOpener(): Promise<void>;
}

export const AuthContext = createContext<Auth | null>(null);

/** Who is signed in, and how to change that. */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) {
    throw new Error("useAuth needs an AuthProvider above it");
  }
  return auth;
}
