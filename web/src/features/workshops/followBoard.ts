import { Problem } from "@/api/problem";
import { readEvents } from "@/features/sharing/events";
import { pauseAfter } from "@/features/sharing/follow";
import type { Board } from "./types";

/** What is heard of a board. */
export type BoardNews =
  | { kind: "board"; board: Board }
  /** The connection is lost, and is sought again. */
  | { kind: "lost"; problem?: Problem }
  /** The workshop has ended. */
  | { kind: "ended" }
  /** It won't come, or no longer: the caller doesn't host the workshop. */
  | { kind: "over"; problem: Problem };

/** The server says something every 15 seconds. */
const patience = 40_000;

/** The statuses of calls that end as a stream may. */
const statuses: Record<string, number> = { account_disabled: 403, forbidden: 403 };

/** Trying again wouldn't help. */
const isFinal = ({ status }: Problem): boolean => [400, 401, 403, 404, 422].includes(status);

/**
 * Follows a board until the signal aborts, the workshop has ended or nothing more will come. A stream that ends, at the
 * latest with the access token, is opened again.
 */
export async function followBoard(
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  tell: (news: BoardNews) => void,
  signal: AbortSignal,
  wait = pause,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    let problem: Problem | undefined;
    try {
      const stream = await open(signal);
      if (signal.aborted) return void stream.cancel().catch(() => {});
      for await (const { event, data } of readEvents(stream, patience)) {
        if (signal.aborted) return;
        if (event === "ended") {
          const { code, text } = JSON.parse(data) as { code?: string; text?: string };
          // With a token that has been renewed since, it goes on.
          if (code === "unauthenticated") break;
          if (code === undefined) return tell({ kind: "ended" });
          return tell({ kind: "over", problem: new Problem(statuses[code] ?? 404, text ?? "") });
        }
        if (event !== "board") continue;
        failures = -1;
        tell({ kind: "board", board: JSON.parse(data) as Board });
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
