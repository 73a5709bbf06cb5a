import { useCallback, useEffect, useReducer, useState } from "react";
import { addressOf } from "@/api/client";
import type { Problem } from "@/api/problem";
import { transport } from "@/api/transport";
import { type BoardNews, followBoard } from "./followBoard";
import type { Board } from "./types";

/** How it goes with the connection. */
export type BoardPhase = "connecting" | "live" | "again" | "ended" | "over";

export interface BoardSeen {
  phase: BoardPhase;
  /** The last one. */
  board?: Board;
  /** The one before it. */
  before?: Board;
  /** Why the connection was lost, or won't come back. */
  problem?: Problem;
}

function heard(seen: BoardSeen, news: BoardNews | { kind: "begun" }): BoardSeen {
  const { problem: _, ...rest } = seen;
  switch (news.kind) {
    case "begun":
      return { ...rest, phase: "connecting" };
    case "board":
      return { phase: "live", board: news.board, ...(seen.board && { before: seen.board }) };
    case "lost":
      return { ...rest, phase: seen.board ? "again" : "connecting", ...(news.problem && { problem: news.problem }) };
    case "ended":
      return { ...rest, phase: "ended" };
    case "over":
      return { ...rest, phase: "over", problem: news.problem };
  }
}

/** Follows the board of a workshop. */
export function useBoard(id: string): BoardSeen & { again: () => void } {
  const [seen, tell] = useReducer(heard, { phase: "connecting" });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try begins again.
  useEffect(() => {
    const leaving = new AbortController();
    tell({ kind: "begun" });
    void followBoard((signal) => open(id, signal), tell, leaving.signal);
    return () => leaving.abort();
  }, [id, attempt]);
  return { ...seen, again: useCallback(() => setAttempt((count) => count + 1), []) };
}

/** For transport(): what comes is read as it comes, for a day. */
const endless = 86_400_000;

/** How long the beginning of a stream may take, in milliseconds. */
const longestBegin = 20_000;

async function open(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  // For its beginning alone: the signal of a timeout would end the rest too.
  const ending = new AbortController();
  const timer = window.setTimeout(() => ending.abort(), longestBegin);
  try {
    const request = new Request(addressOf("/api/v1/rf/workshops/{id}/board", { path: { id } }), {
      headers: { Accept: "text/event-stream" },
      signal: AbortSignal.any([signal, ending.signal]),
    });
    const response = await transport(request, endless);
    return response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  } finally {
    window.clearTimeout(timer);
  }
}
