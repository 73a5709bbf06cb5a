import { requestTimeout } from "@/lib/constants";
import { connection } from "./connection";
import { noAnswer, Problem, readProblem } from "./problem";
import { type Credentials, getToken, tokenRefused } from "./token";
import { identify } from "./transport";

/**
 * Sends a request whose answer never ends, and returns its body, which is read as it comes; throws a Problem. Like
 * transport(), it repeats a request once whose token was rejected.
 */
export async function openStream(request: Request): Promise<ReadableStream<Uint8Array>> {
  const again = request.clone();
  const caller = getToken();
  try {
    return await open(request, caller);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401 || !caller) throw error;
    const renewed = (await tokenRefused(caller.accessToken)) ? getToken() : undefined;
    if (renewed?.subject !== caller.subject) throw error;
    return open(again, renewed);
  }
}

async function open(request: Request, caller: Credentials | undefined): Promise<ReadableStream<Uint8Array>> {
  const headers = new Headers(request.headers);
  if (caller) identify(headers, caller);
  // For its beginning alone: the signal of a timeout would end the body too.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("", "TimeoutError")), requestTimeout);
  let response: Response;
  try {
    response = await fetch(request, {
      headers,
      cache: "no-store",
      signal: AbortSignal.any([request.signal, late.signal]),
    });
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.doubted();
    throw noAnswer(late.signal.aborted ? late.signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
  connection.answered();
  if (!response.ok) throw await readProblem(response);
  return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
}
