import type { QueryClient } from "@tanstack/react-query";
import { toast } from "@/ui/toast";
import { openMessages as messages } from "./open.messages";
import { leaveRequest, type OpenOutcome, type OpenRequest, outcomeChannel, requestLifetime } from "./openRequest";
import { outcomeTitles } from "./outcomeTitles.messages";
import { sessionsKey } from "./queries";

// Longer than the server makes anybody wait; a tab that was closed in the meantime reports nothing.
const newsTimeout = 15_000;
/** What is heard of a request first; nothing of a tab that stays silent. */
interface News {
  failure?: string | undefined;
}

/** Ends the following of a request, by its key. */
const followed = new Map<string, () => void>();

/**
 * Leaves the request for a new tab and opens that, which has to happen within a click. The new tab gets no hold on
 * this one: `opener` is null long before it leaves for the session's origin. Settles with the first news of it. What
 * refuses a run is read here, where the button is: its tab is closed.
 */
export async function openInNewTab(
  request: OpenRequest,
  queries: QueryClient,
  // Without "noopener": the result would always be null, and a blocked tab would look like an open one.
  open = (address: string): Window | null => window.open(address, "_blank"),
): Promise<void> {
  const key = crypto.randomUUID();
  const address = leaveRequest(localStorage, request, key, Date.now());
  const news = follow(key, request.do, queries);
  const tab = open(address);
  if (tab) {
    tab.opener = null;
    const { failure } = await news;
    if (failure !== undefined && request.do === "run") tab.close();
  } else {
    toast.loading(messages.blocked, messages.blockedHelp, {
      label: messages.blockedLink,
      href: address,
    });
  }
}

/**
 * Tells in this tab what becomes of the request that another tab has under this key, and brings the list up to date.
 * Settles with the first news; the other tab offers to try again, so there may be more to hear after a failure. Whoever
 * is silent for longer than a request may wait was closed, and is followed no more.
 */
export function follow(key: string, what: keyof typeof outcomeTitles, queries: QueryClient): Promise<News> {
  followed.get(key)?.();
  const channel = new BroadcastChannel(outcomeChannel);
  let silence: number | undefined;
  const stop = () => {
    window.clearTimeout(silence);
    channel.close();
    followed.delete(key);
  };
  const listen = () => {
    window.clearTimeout(silence);
    silence = window.setTimeout(stop, requestLifetime + newsTimeout);
  };
  followed.set(key, stop);
  listen();
  return new Promise((resolve) => {
    const timer = window.setTimeout(() => resolve({}), newsTimeout);
    channel.onmessage = async ({ data }: MessageEvent<OpenOutcome>) => {
      if (data.key !== key) return;
      if (data.failure !== undefined) {
        toast.error(outcomeTitles[what].failed, data.failure);
        listen();
      } else {
        toast.success(outcomeTitles[what].done);
        stop();
      }
      await queries.invalidateQueries({ queryKey: sessionsKey });
      window.clearTimeout(timer);
      resolve({ failure: data.failure });
    };
  });
}
