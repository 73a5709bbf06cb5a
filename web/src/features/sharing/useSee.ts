import { useCallback, useEffect, useReducer, useState } from "react";
import { addressOf } from "@/api/client";
import type { Problem } from "@/api/problem";
import { transport } from "@/api/transport";
import type { SessionView, SharedSession } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { followView, type News } from "./follow";
import { forgetLinkOf, linkOf } from "./link";
import { followLink } from "./queries";

/** How it goes with the connection. */
export type Phase = "connecting" | "live" | "again" | "paused" | "over";

export interface Seen {
  phase: Phase;
  /** What the visitor may do. */
  shared?: SharedSession;
  /** The last view. */
  view?: SessionView;
  /** Why the connection was lost, or won't come back. */
  problem?: Problem;
}

/** A tab in the background for longer than this, in milliseconds, follows nothing. */
const longestHidden = 60_000;

export function heard(seen: Seen, news: News | { kind: "begun" | "paused" }): Seen {
  const { problem: _, ...rest } = seen;
  switch (news.kind) {
    case "begun":
      return { ...rest, phase: seen.phase === "paused" && seen.view ? "again" : "connecting" };
    case "paused":
      return { ...rest, phase: "paused" };
    case "open":
      return rest;
    case "shared":
      return { ...rest, shared: news.shared };
    case "view":
      return { ...rest, phase: "live", view: news.view };
    case "lost":
      return { ...rest, phase: seen.view ? "again" : "connecting", ...(news.problem && { problem: news.problem }) };
    case "over":
      return { ...rest, phase: "over", problem: news.problem };
  }
}

/** Follows what a session shows: of the notebook with that path, or of the one in which somebody works (""). */
export function useSee(id: string, notebook: string): Seen & { again: () => void } {
  const { state, user } = useAuth();
  const subject = state === "loading" ? undefined : (user?.subject ?? "");
  const [seen, tell] = useReducer(heard, { phase: "connecting" });
  const [attempt, setAttempt] = useState(0);
  const hidden = useHidden();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try, and another person, begin again.
  useEffect(() => {
    if (subject === undefined) return;
    if (hidden) {
      tell({ kind: "paused" });
      return;
    }
    const leaving = new AbortController();
    tell({ kind: "begun" });
    void followView((signal) => open(id, notebook, subject !== "", signal), tell, leaving.signal);
    return () => leaving.abort();
  }, [id, notebook, subject, hidden, attempt]);

  return { ...seen, again: useCallback(() => setAttempt((count) => count + 1), []) };
}

/** For transport(): what comes is read as it comes, for a day. */
const endless = 86_400_000;

/** How long the beginning of a stream may take, in milliseconds. */
const longestBegin = 20_000;

async function open(id: string, notebook: string, signedIn: boolean, signal: AbortSignal) {
  // Whoever has signed in since needs the link only once more.
  const followed = linkOf(id);
  if (followed !== undefined && signedIn) {
    await followLink(followed).then(
      () => forgetLinkOf(id),
      () => {},
    );
  }
  const link = linkOf(id);
  const address = addressOf("/api/v1/rf/sessions/{id}/see/events", {
    path: { id },
    query: notebook === "" ? {} : { notebook },
  });
  // For its beginning alone: the signal of a timeout would end the rest too.
  const ending = new AbortController();
  const timer = window.setTimeout(() => ending.abort(), longestBegin);
  try {
    const response = await transport(
      new Request(address, {
        signal: AbortSignal.any([signal, ending.signal]),
        ...(link && { headers: { "Share-Link": link } }),
      }),
      endless,
    );
    return response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  } finally {
    window.clearTimeout(timer);
  }
}

/** Whether the tab has been in the background for a while. */
function useHidden(): boolean {
  const [hidden, setHidden] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const look = () => {
      window.clearTimeout(timer);
      if (document.visibilityState === "hidden") timer = window.setTimeout(() => setHidden(true), longestHidden);
      else setHidden(false);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return hidden;
}
