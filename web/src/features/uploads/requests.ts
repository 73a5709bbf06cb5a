import type { HttpRequest, HttpResponse, HttpStack } from "tus-js-client";
import { Problem, type ProblemField } from "@/api/problem";
import { type Credentials, getToken, tokenRefused } from "@/api/token";
import type { ProblemCode } from "@/api/types";
import { requestsMessages as messages } from "./requests.messages";

/** Milliseconds without any progress after which a request has failed. */
const patience = 120_000;

/**
 * The requests of uploads: each has the token that is valid when it is sent, and is repeated with a new one if that was refused.
 * One that fails throws a Problem, so that an upload is never begun anew because a server was busy or a token too old.
 */
export class UploadRequests implements HttpStack {
  readonly #signal: AbortSignal;

  /** The requests end when the signal aborts. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  createRequest(method: string, url: string): HttpRequest {
    return new UploadRequest(method, url, this.#signal);
  }

  getName(): string {
    return "UploadRequests";
  }
}

class UploadRequest implements HttpRequest {
  readonly #method: string;
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #headers = new Map<string, string>();
  #progress: (bytes: number) => void = () => {};
  #sent: XMLHttpRequest | undefined;

  constructor(method: string, url: string, signal: AbortSignal) {
    this.#method = method;
    this.#url = url;
    this.#signal = signal;
  }

  getMethod = () => this.#method;
  getURL = () => this.#url;
  getHeader = (name: string) => this.#headers.get(name);
  getUnderlyingObject = () => this.#sent;

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  setProgressHandler(handler: (bytes: number) => void): void {
    this.#progress = handler;
  }

  async abort(): Promise<void> {
    this.#sent?.abort();
  }

  async send(body: Blob | null): Promise<HttpResponse> {
    const caller = getToken();
    let answer = await this.#exchange(body, caller);
    if (answer.status === 401 && caller) {
      const renewed = (await tokenRefused(caller.accessToken)) ? getToken() : undefined;
      if (renewed?.subject === caller.subject) answer = await this.#exchange(body, renewed);
    }
    const { status } = answer;
    // The server has deleted the upload.
    const gone = this.#method === "HEAD" && (status === 404 || status === 410);
    if (gone || (status >= 200 && status < 300)) return responseOf(answer);
    throw problemOf(answer);
  }

  #exchange(body: Blob | null, caller: Credentials | undefined): Promise<XMLHttpRequest> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.#sent = request;
      let late: ReturnType<typeof setTimeout> | undefined;
      const stop = () => request.abort();
      const end = () => {
        clearTimeout(late);
        this.#signal.removeEventListener("abort", stop);
      };
      const fail = () => {
        end();
        reject(new Problem(0, messages.unreachable));
      };
      const wait = () => {
        clearTimeout(late);
        late = setTimeout(() => {
          fail();
          stop();
        }, patience);
      };
      if (this.#signal.aborted) {
        reject(this.#signal.reason);
        return;
      }
      this.#signal.addEventListener("abort", stop);
      request.open(this.#method, this.#url, true);
      for (const [name, value] of this.#headers) request.setRequestHeader(name, value);
      if (caller) request.setRequestHeader("Authorization", `Bearer ${caller.accessToken}`);
      request.upload.onprogress = ({ loaded }) => {
        wait();
        this.#progress(loaded);
      };
      request.onload = () => {
        end();
        resolve(request);
      };
      request.onerror = fail;
      request.onabort = () => {
        end();
        reject(this.#signal.reason ?? new DOMException("", "AbortError"));
      };
      wait();
      request.send(body);
    });
  }
}

function responseOf(request: XMLHttpRequest): HttpResponse {
  return {
    getStatus: () => request.status,
    getHeader: (name) => request.getResponseHeader(name) ?? undefined,
    getBody: () => request.responseText,
    getUnderlyingObject: () => request,
  };
}

/** The problem in an answer, which may come from a proxy. */
function problemOf({ status, responseText }: XMLHttpRequest): Problem {
  const { code, detail, errors } = membersOf(responseText);
  return new Problem(status, typeof detail === "string" && detail !== "" ? detail : messages.status(status), {
    ...(typeof code === "string" && { code: code as ProblemCode }),
    ...(Array.isArray(errors) && { fields: errors as ProblemField[] }),
  });
}

function membersOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** Whether a request failed because the server couldn't be reached, or can't work now: it may succeed later. */
export function isAway(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || [429, 502, 503, 504].includes(error.status));
}

/** Whether it is worth it to repeat a request after a moment. With a code, 409 says that the upload is refused. */
export function isRepeatable(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  const { status, code } = error;
  return isAway(error) || status >= 500 || status === 423 || (status === 409 && code === undefined);
}
