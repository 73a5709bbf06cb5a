import { useEffect } from "react";

/**
 * Moves the focus to the nearest remaining ancestor when the focused element is removed, such as a deleted card or a
 * replaced button. Otherwise the next Tab would start at the top of the page.
 */
export function useKeptFocus() {
  useEffect(() => {
    /** The last focused element and its ancestors. */
    let around: HTMLElement[] = [];
    const remember = (target: EventTarget | null) => {
      around = [];
      for (let each = target instanceof HTMLElement ? target : null; each; each = each.parentElement) around.push(each);
    };
    const follow = ({ target }: FocusEvent) => remember(target);
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
    document.addEventListener("focusin", follow);
    remember(document.activeElement);
    const changes = new MutationObserver(keep);
    changes.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", follow);
      changes.disconnect();
    };
  }, []);
}
