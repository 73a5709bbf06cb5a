import { useEffect } from "react";

/**
 * Moves the focus to where the focused element was when that is removed, such as a deleted card or a replaced button.
 * Otherwise the next Tab would start at the top of the page.
 */
export function useKeptFocus() {
  useEffect(() => {
    let focused = document.activeElement;
    const follow = ({ target }: FocusEvent) => {
      focused = target as Element;
    };
    const changes = new MutationObserver((removals) => {
      if (document.activeElement !== document.body) return;
      const place = removals.find(({ removedNodes }) =>
        [...removedNodes].some((each) => each.contains(focused)),
      )?.target;
      if (!(place instanceof HTMLElement) || place === document.body) return;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", follow);
    changes.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", follow);
      changes.disconnect();
    };
  }, []);
}
