import { useEffect, useState } from "react";
import { isShortcut, useShortcuts } from "@/ui/list/shortcuts";

const kept = "cairn.board.names";

/**
 * Whether names are hidden, in this tab also after a reload: what a projector shows. The key hides and shows them, unless
 * its user has turned such keys off.
 */
export function useHiddenNames(key: string) {
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(kept) === "hidden");
  const { on } = useShortcuts();
  useEffect(() => sessionStorage.setItem(kept, hidden ? "hidden" : "shown"), [hidden]);
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      if (!isShortcut(event, key)) return;
      event.preventDefault();
      setHidden((before) => !before);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on, key]);
  return { hidden, toggle: () => setHidden((before) => !before), listens: on };
}
