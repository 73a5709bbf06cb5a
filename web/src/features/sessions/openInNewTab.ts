import type { QueryClient } from "@tanstack/react-query";
import { toast } from "@/ui/toast";
import { leaveRequest, type OpenOutcome, type OpenRequest, outcomeChannel } from "./openRequest";
import { sessionsKey } from "./queries";

/** What is said of a request when it went well, and when it failed. */
export const outcomeTitles = {
  start: { done: "Session started", failed: "Error starting session" },
  restart: { done: "Session resumed", failed: "Error resuming session" },
} as const;

/**
 * Leaves the request for a new tab and opens that, which has to happen within a click. The new tab gets no hold on
 * this one: `opener` is null long before it leaves for the session's origin.
 */
export function openInNewTab(request: OpenRequest, queries: QueryClient): void {
  const key = crypto.randomUUID();
  const address = leaveRequest(localStorage, request, key, Date.now());

  const channel = new BroadcastChannel(outcomeChannel);
  channel.onmessage = ({ data }: MessageEvent<OpenOutcome>) => {
    if (data.key !== key) return;
    const titles = outcomeTitles[request.do];
    void queries.invalidateQueries({ queryKey: sessionsKey });
    if (data.failure !== undefined) {
      // The other tab offers to try again, so there may be more to hear.
      toast.error(titles.failed, data.failure);
    } else {
      toast.success(titles.done);
      channel.close();
    }
  };

  // Not "noopener": the answer would always be null, and a blocked tab could not be told from an open one.
  const tab = window.open(address, "_blank");
  if (tab) {
    tab.opener = null;
  } else {
    toast.loading("The browser blocked the new tab", "Open it with this link.", {
      label: "Open the session",
      href: address,
    });
  }
}
