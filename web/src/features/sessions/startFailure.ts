import { messageOf, Problem } from "@/api/problem";
import { notEnabledMessages } from "./notEnabled.messages";

/**
 * Why a session could not be started: in the server's words, or, when something before the server refused without a
 * word, the likely reason. `contact` names the operators; it may be empty.
 */
export function startFailure(error: unknown, contact: string): string {
  const wordless = error instanceof Problem && error.status === 403 && error.code === undefined;
  return wordless ? notEnabledMessages.wordless(contact) : messageOf(error);
}
