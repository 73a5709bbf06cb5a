import { requestTimeout } from "@/lib/constants";
import { connection } from "./connection";
import { hasCode, noAnswer, Problem, readProblem } from "./problem";
import { type Credentials, getToken, tokenRefused } from "./token";

interface Kept {
  tag: string;
  body: Blob;
}

const keptLimit = 50;
const kept = new Map<string, Kept>();
let keptFor: string | undefined;

/**
 * Sends a request and returns its answer, or throws a Problem. Browser caches are bypassed, so entity tags are kept here:
 * an unchanged answer is an empty 304, and its content comes from memory, which is cleared when the caller changes. A
 * request whose token was rejected had no effect, so it is repeated once if the token could be renewed, but never as
 * somebody else who signed in meanwhile. It waits for an answer, with all of its body, as long as `patience` says;
 * if that is a day or more, the body is read as it comes.
 */
export async function transport(request: Request, patience = requestTimeout): Promise<Response> {
  const again = request.clone();
  const caller = getToken();
  try {
    return await exchange(request, caller, patience);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401 || !caller) throw error;
    const renewed = (await tokenRefused(caller.accessToken)) ? getToken() : undefined;
    if (renewed?.subject !== caller.subject) throw error;
    return await exchange(again, renewed, patience).catch((secondError: unknown) => {
      if (secondError instanceof Problem && secondError.status === 401) void tokenRefused(renewed.accessToken);
      throw secondError;
    });
  }
}

async function exchange(request: Request, caller: Credentials | undefined, patience: number): Promise<Response> {
  if (keptFor !== caller?.subject) {
    kept.clear();
    keptFor = caller?.subject;
  }
  const known = request.method === "GET" ? kept.get(request.url) : undefined;
  const headers = new Headers(request.headers);
  headers.set("Cache-Control", "no-cache, no-store, must-revalidate");
  headers.set("Pragma", "no-cache");
  headers.set("Expires", "0");
  if (caller) {
    headers.set("Authorization", `Bearer ${caller.accessToken}`);
    headers.set("X-Claims", asHeader({ userName: caller.email, gatewayID: "default" }));
  }
  if (known) headers.set("If-None-Match", known.tag);

  const response = await send(request, headers, patience);
  if (response.status === 304 && known) {
    remember(request.url, known);
    return new Response(known.body); // with the type that it has
  }
  if (!response.ok) {
    const problem = await readProblem(response);
    if (hasCode(problem, "database_unavailable")) connection.databaseAway();
    throw problem;
  }
  const tag = response.headers.get("ETag");
  if (request.method === "GET" && tag && keptFor === caller?.subject) {
    remember(request.url, { tag, body: await response.clone().blob() });
  }
  return response;
}

/** JSON for a header: characters beyond ASCII are escaped. */
function asHeader(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function send(request: Request, headers: Headers, patience: number): Promise<Response> {
  try {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(patience)]);
    const response = await fetch(request, { headers, signal });
    // Read here: a body that never arrives isn't an answer either. In bytes: it may be a picture or an archive.
    const body = patience < 86_400_000 && (await response.blob());
    connection.answered();
    return body ? new Response(body.size ? body : null, response) : response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.doubted();
    throw noAnswer(error);
  }
}

// Inserted again, an entry becomes the newest; the oldest one is evicted.
function remember(url: string, answer: Kept) {
  kept.delete(url);
  kept.set(url, answer);
  if (kept.size > keptLimit) kept.delete([...kept.keys()][0] ?? url);
}
