import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback } from "react";
import { useAuth } from "@/features/identity/useAuth";
import { RunContext, type RunTarget } from "@/ui/run";

/** Lets everything that shows entries and projects start sessions of them, without knowing how. */
export function RunProvider({ children }: { children: ReactNode }) {
  const { state, login } = useAuth();
  const queries = useQueryClient();
  const run = useCallback(
    async (target: RunTarget) => {
      // Within the click; what fills the tab is loaded after it.
      const tab = state === "authenticated" ? window.open("", "_blank") : undefined;
      try {
        const { isFromElsewhere, returnTo, runInTab } = await import("./runInTab");
        await (tab === undefined
          ? login(returnTo(target, location, isFromElsewhere(), sessionStorage))
          : runInTab(target, queries, tab));
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
    [state, login, queries],
  );
  return <RunContext value={run}>{children}</RunContext>;
}
