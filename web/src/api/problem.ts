import { capitalized } from "@/lib/capitalized";
import { isPage } from "@/lib/links";
import { problemMessages } from "./problem.messages";
import type { FileDraft, ProblemCode } from "./types";

export interface ProblemField {
  location: string;
  message: string;
}

interface ProblemDetails {
  code?: ProblemCode | undefined;
  fields?: ProblemField[];
  retryAfter?: number | undefined;
  progress?: number | undefined;
  link?: string | undefined;
  draft?: FileDraft | undefined;
}

/** A call that failed. `message` is only for people: code depends on `code`, which never changes. */
export class Problem extends Error {
  /** The HTTP status; 0 when no answer came. */
  declare readonly status: number;
  /** What is wrong; undefined when the answer comes from, for example, a proxy. */
  declare readonly code: ProblemCode | undefined;
  /** The invalid values of a 422. */
  declare readonly fields: ProblemField[];
  /** Seconds after which to try again, when the server said so. */
  declare readonly retryAfter: number | undefined;
  /** The progress of something that is being prepared, from 0 to 1, if the server sent it. */
  declare readonly progress: number | undefined;
  /** A page to continue on, such as that of an entry that already exists. */
  declare readonly link: string | undefined;

  /** The caller's descriptor with the lines to add or change. */
  declare readonly draft: FileDraft | undefined;

  constructor(status: number, message: string, details: ProblemDetails = {}) {
    super(message);
    this.name = "Problem";
    Object.assign(this, { status, fields: [], ...details });
  }
}

/** Parses the problem in an error answer, which may be HTML from a proxy. */
export async function readProblem(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  const given = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const { code, message, detail, errors, progress, link, draft } = given;
  const text = [message, detail].find((each): each is string => typeof each === "string" && each !== "");
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  return new Problem(response.status, text ?? problemMessages.status(response.status), {
    code: typeof code === "string" ? (code as ProblemCode) : undefined,
    fields: Array.isArray(errors) ? errors.filter(isField) : [],
    retryAfter: Number.isNaN(seconds) ? undefined : seconds,
    progress: typeof progress === "number" ? progress : undefined,
    link: typeof link === "string" && isPage(link) ? link : undefined,
    draft: draft ? (draft as FileDraft) : undefined,
  });
}

function isField(value: unknown): value is ProblemField {
  const { location, message } = (value ?? {}) as Record<string, unknown>;
  return typeof location === "string" && typeof message === "string";
}

/** The problem behind a request that got no answer. */
export function noAnswer(error: unknown): Problem {
  const timedOut = error instanceof DOMException && error.name === "TimeoutError";
  return new Problem(0, timedOut ? problemMessages.late : problemMessages.unreachable);
}

/** Whether a call failed for this reason. */
export function hasCode(error: unknown, code: ProblemCode): error is Problem {
  return error instanceof Problem && error.code === code;
}

/**
 * Returns the progress of the server's search index if that is why a call failed; `percent` is undefined if it isn't
 * known.
 */
export function indexProgress(error: unknown): { message: string; percent: number | undefined } | undefined {
  if (!hasCode(error, "index_building")) return undefined;
  const { message, progress } = error;
  return { message, percent: progress === undefined ? undefined : Math.floor(100 * progress) };
}

/** The text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  // Without a network, code that is loaded when it is needed is missing.
  return globalThis.navigator?.onLine === false ? problemMessages.unreachable : problemMessages.defect;
}

/** Returns the server's errors by field, named as in the request body. */
export function fieldFaults(error: unknown): Partial<Record<string, string>> {
  const faults: Record<string, string> = {};
  for (const { location, message } of error instanceof Problem ? error.fields : []) {
    const field = location.replace(/^body\./, "");
    const text = capitalized(message) + (message.endsWith(".") ? "" : ".");
    faults[field] = faults[field] === undefined ? text : `${faults[field]} ${text}`;
  }
  return faults;
}

/** Reports whether an entry doesn't exist or is hidden from the caller, as opposed to a failure. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}
