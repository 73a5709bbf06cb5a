import { Problem } from "@/api/problem";
import type { SessionView, SharedSession } from "@/api/types";
import { readEvents } from "./events";
import { applyChange, type ViewChange } from "./view";

/** What is heard of a session that is looked at. */
export type News =
  | { kind: "open" }
  | { kind: "shared"; shared: SharedSession }
  | { kind: "view"; view: SessionView }
  /** The connection is lost, and is sought again. */
  | { kind: "lost"; problem?: Problem }
  /** Nothing more will come: it isn't shared any longer, or never was. */
  | { kind: "over"; problem: Problem };

/** The server says something every 15 seconds. */
const patience = 40_000;
const firstPause = 500;
const longestPause = 30_000;

/** Milliseconds until the next try, after so many in a row that brought nothing. */
export function pauseAfter(failures: number, problem: Problem | undefined): number {
  const pause = Math.min(firstPause * 2 ** failures, longestPause);
  return Math.max(pause, 1000 * (problem?.retryAfter ?? 0));
}

/** The statuses of calls that end as a stream may. */
const statuses: Record<string, number> = { account_disabled: 403, forbidden: 403 };

/** Trying again wouldn't help. */
const isFinal = ({ status }: Problem): boolean => [400, 401, 403, 404, 422].includes(status);

/**
 * Follows what a session shows until the signal aborts or nothing more will come. A stream that ends, at the latest with
 * the access token, is opened again: the one after it begins with everything.
 */
export async function followView(
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  tell: (news: News) => void,
  signal: AbortSignal,
  wait = pause,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    let problem: Problem | undefined;
    try {
      const stream = await open(signal);
      if (signal.aborted) return void stream.cancel().catch(() => {});
      tell({ kind: "open" });
      for await (const news of newsOf(stream)) {
        if (signal.aborted) return;
        failures = -1;
        tell(news);
        if (news.kind === "over") return;
      }
    } catch (error) {
      if (error instanceof Problem) problem = error;
    }
    if (signal.aborted) return;
    if (problem && isFinal(problem)) return tell({ kind: "over", problem });
    tell({ kind: "lost", ...(problem && { problem }) });
    await wait(pauseAfter(Math.max(0, failures), problem), signal);
  }
}

/** What a stream says. It ends early at a change that doesn't follow the view before. */
async function* newsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<News> {
  let view: SessionView | undefined;
  for await (const { event, data } of readEvents(stream, patience)) {
    if (event === "shared") yield { kind: "shared", shared: JSON.parse(data) };
    if (event === "ended") {
      const { code, text } = JSON.parse(data);
      // With a token that has been renewed since, it goes on.
      if (code === "unauthenticated") return;
      yield { kind: "over", problem: new Problem(statuses[code] ?? 404, text, { code }) };
    }
    if (event === "view" || event === "change") {
      view =
        event === "view"
          ? (JSON.parse(data) as SessionView)
          : view && applyChange(view, JSON.parse(data) as ViewChange);
      if (!view) return;
      yield { kind: "view", view };
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
