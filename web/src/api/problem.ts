import { isPage } from "@/lib/links";
import { problemMessages } from "./messages";

export interface ProblemField {
  location: string;
  message: string;
}

/** A call that failed. `message` is fit to be shown to a person. */
export class Problem extends Error {
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The invalid values of a 422. */
  readonly fields: ProblemField[];
  /** Seconds after which to try again, when the server said so. */
  readonly retryAfter: number | undefined;
  /** The page that leads on, such as that of an entry that is there already. */
  readonly link: string | undefined;

  constructor(status: number, message: string, fields: ProblemField[] = [], retryAfter?: number, link?: string) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.fields = fields;
    this.retryAfter = retryAfter;
    this.link = link;
  }
}

/** Reads the problem from an answer that is no success, whoever gave it: a proxy in between may answer in HTML. */
export async function readProblem(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  const { message, detail, errors, link } = (typeof body === "object" && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const text = [message, detail].find((each): each is string => typeof each === "string" && each !== "");
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  return new Problem(
    response.status,
    text ?? problemMessages.status(response.status),
    Array.isArray(errors) ? errors.filter(isField) : [],
    Number.isNaN(seconds) ? undefined : seconds,
    typeof link === "string" && isPage(link) ? link : undefined,
  );
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

/**
 * How far the server is with its search index, when that is why it refused for now; `percent` is undefined when it did
 * not say.
 */
export function indexProgress(error: unknown): { message: string; percent: number | undefined } | undefined {
  if (!(error instanceof Problem) || error.status !== 503 || !/\bindex\b/i.test(error.message)) return undefined;
  const [, percent] = /(\d+(?:\.\d+)?)\s*%/.exec(error.message) ?? [];
  return { message: error.message, percent: percent === undefined ? undefined : Number(percent) };
}

/** The text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Problem ? error.message : problemMessages.defect;
}

/** What the server says of each field of a form, as sentences: by the name of the field in the body that was sent. */
export function fieldFaults(error: unknown): Partial<Record<string, string>> {
  const faults: Record<string, string> = {};
  for (const { location, message } of error instanceof Problem ? error.fields : []) {
    const field = location.replace(/^body\./, "");
    const text = message.charAt(0).toUpperCase() + message.slice(1) + (message.endsWith(".") ? "" : ".");
    faults[field] = faults[field] === undefined ? text : `${faults[field]} ${text}`;
  }
  return faults;
}

/** Tells an entry that is absent, or hidden from the caller, from a failure. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}
