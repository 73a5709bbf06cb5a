import type { QueryClient } from "@tanstack/react-query";
import { openInNewTab } from "@/features/sessions/openInNewTab";
import { leaveRequest, wishOf } from "@/features/sessions/openRequest";
import { runPath } from "@/lib/sharing/runAddress";
import type { RunTarget } from "@/ui/run";

/** Runs an entry or a project in a tab that was opened for it; null if the browser blocked that. */
export function runInTab(target: RunTarget, queries: QueryClient, tab: Window | null): Promise<void> {
  const title = target.options?.name ?? target.name;
  return openInNewTab({ do: "run", wish: wishOf(target), title }, queries, (address) => {
    tab?.location.replace(address);
    return tab;
  });
}

/**
 * Where a visitor comes back to from the sign-in. Who pressed Run on our pages comes to the session, which starts in this tab;
 * who followed a link from elsewhere comes back to the page that says what it would run, with all that its address has.
 */
export function returnTo(
  target: RunTarget,
  { pathname, search }: Pick<Location, "pathname" | "search">,
  fromElsewhere: boolean,
  store: Parameters<typeof leaveRequest>[0],
): string {
  if (pathname === runPath(target.id) && fromElsewhere) return pathname + search;
  const title = target.options?.name ?? target.name;
  return leaveRequest(store, { do: "run", wish: wishOf(target), title }, crypto.randomUUID(), Date.now());
}

/** Whether this page was the first of the visit, and no page of ours led to it. */
export function isFromElsewhere(): boolean {
  const [loaded] = performance.getEntriesByType("navigation");
  const first = loaded !== undefined && new URL(loaded.name).pathname === location.pathname;
  return first && !document.referrer.startsWith(`${location.origin}/`);
}
