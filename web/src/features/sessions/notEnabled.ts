import type { Account } from "@/api/types";

/**
 * Tells somebody beforehand that their account may not start sessions, and whom to ask; undefined when it may, or when
 * that is not known. `contact` names the operators; it may be empty. The server decides when a session is started.
 */
export function notEnabled(account: Account | undefined, contact: string): string | undefined {
  if (!account || account.enabled) {
    return undefined;
  }
  if (account.email === "") {
    return "You cannot start sessions yet: your identity provider gives no verified e-mail address for you. Verify your address there and sign in again.";
  }
  return `You cannot start sessions yet: the operators have to enable your account (${account.email}). Please ask ${contact || "the operators of this server"}.`;
}
