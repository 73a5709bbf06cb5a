import { messageOf, Problem, readProblem } from "@/api/problem";
import { notEnabledMessages } from "./messages";

/**
 * Why a session could not be started: in the server's words, or, when it refused without a word, the likely reason.
 * `contact` names the operators; it may be empty.
 */
export async function startFailure(error: unknown, contact: string): Promise<string> {
  if (error instanceof Problem && error.status === 403) {
    const wordless = await readProblem(new Response(null, { status: 403 }));
    if (error.message === wordless.message) {
      return notEnabledMessages.wordless(contact);
    }
  }
  return messageOf(error);
}
