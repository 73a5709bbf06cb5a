import { useEffectEvent, useLayoutEffect } from "react";
import { isShortcut, leadToSearch, searchKey, useShortcuts } from "./shortcuts";

/** Calls `go` when the search box of another page is wanted, whose first rendering then takes the focus. */
export function useSearchElsewhere(go: () => void) {
  const { on } = useShortcuts();
  const leave = useEffectEvent(go);
  useLayoutEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      if (!isShortcut(event, searchKey) || document.querySelector(`[aria-keyshortcuts="${searchKey}"]`)) return;
      event.preventDefault();
      leadToSearch();
      leave();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on]);
}
