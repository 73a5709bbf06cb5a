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
