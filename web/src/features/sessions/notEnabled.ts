import type { Account } from "@/api/types";
import { notEnabledMessages as messages } from "./notEnabled.messages";

/**
 * Tells somebody beforehand that their account may not start sessions, and whom to ask; undefined when it may, or when
 * that is not known. `contact` names the operators; it may be empty. The server decides when a session is started.
 */
export function notEnabled(account: Account | undefined, contact: string): string | undefined {
  if (!account || account.enabled) {
    return undefined;
  }
  return account.email === "" ? messages.noAddress : messages.askThem(account.email, contact);
}

/** A link to the operators, or what to do where this server names no address of theirs. */
export type AskOperators = { href: string } | { advice: string };

/** Returns how to ask for an account to be enabled; undefined when the operators can't help, or needn't. */
export function askOperators(account: Account | undefined, contact: string): AskOperators | undefined {
  if (!account || account.enabled || account.email === "") return undefined;
  if (/^https:\/\/\S+$/.test(contact)) return { href: contact };
  if (!/^[^\s@]+@[^\s@]+$/.test(contact)) return { advice: messages.advice(account.email, contact) };
  const subject = encodeURIComponent(messages.subject);
  const body = encodeURIComponent(messages.body(account.email));
  // In the address itself "?" and "&" would begin the rest.
  return { href: `mailto:${encodeURIComponent(contact).replace("%40", "@")}?subject=${subject}&body=${body}` };
}
