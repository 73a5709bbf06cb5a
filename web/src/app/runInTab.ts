import type { QueryClient } from "@tanstack/react-query";
import { openInNewTab } from "@/features/sessions/openInNewTab";
import { wishOf } from "@/features/sessions/openRequest";
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

/** Where a visitor comes back to: the page that they are on if it is that one, with all that its address has. */
export function returnTo(
  { id, options }: RunTarget,
  { pathname, search }: Pick<Location, "pathname" | "search">,
): string {
  return pathname === runPath(id) ? pathname + search : runPath(id, options);
}
