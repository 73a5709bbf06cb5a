import { createContext, useContext } from "react";

/** The signed-in user. `name` is empty if the identity provider sent none: show the e-mail then. */
export interface SignedInUser {
  subject: string;
  email: string;
  name: string;
}

/**
 * Why a sign-in failed or ended. `ended`: the identity provider no longer renews it, and the page may stay and offer to
 * sign in again. `unreachable`: the provider couldn't be reached, and the page retries automatically. `signin`,
 * `signout`: that step failed.
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
  /** Signs in through a separate window, so this page keeps its state. Rejects if that fails or the window is blocked. */
  loginBeside(): Promise<void>;
  /** Forgets the user in every tab, then signs out at the identity provider and comes back to `/`. Never rejects. */
  logout(): Promise<void>;
  /** Prepares the sign-in, so that the click is quick; rejects while the identity provider can't be reached. */
  prepare(): Promise<void>;
  /** Completes the sign-in in `address`; returns the address on our origin to go to, or rejects. */
  complete(address: string): Promise<string>;
  /** In the hidden frame of a silent renewal: passes the provider's answer to the page around it. */
  answerParent(): Promise<void>;
  /** In the separate sign-in window: passes the provider's answer to the page that opened it. */
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
