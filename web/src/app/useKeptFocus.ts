import { useEffect } from "react";

/**
 * Keeps the focus where one was when what had it goes, such as a card that was deleted, or a button that gave way to
 * another: it passes to the nearest part around it that is still there. Else the next Tab began at the top of the page.
 */
export function useKeptFocus() {
  useEffect(() => {
    /** What had the focus last, and all that was around it. */
    let around: HTMLElement[] = [];
    const remember = ({ target }: FocusEvent) => {
      around = [];
      for (let each = target instanceof HTMLElement ? target : null; each; each = each.parentElement) around.push(each);
    };
    const keep = () => {
      if (document.activeElement !== document.body || around[0]?.isConnected !== false) return;
      const place = around.find((each) => each.isConnected);
      around = [];
      if (!place || place === document.body) return;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    };
    document.addEventListener("focusin", remember);
    const changes = new MutationObserver(keep);
    changes.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      changes.disconnect();
    };
  }, []);
}
