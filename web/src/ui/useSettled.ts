import { useEffect, useState } from "react";

/** Whether the page has loaded all that it needed at first, and the browser has had nothing to do since. */
export function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let wait = 0;
    // Not every browser has requestIdleCallback.
    const idle = window.requestIdleCallback ?? ((then: () => void) => window.setTimeout(then, 1000));
    const cancel = window.cancelIdleCallback ?? window.clearTimeout;
    const loaded = () => {
      wait = idle(() => setSettled(true));
    };
    if (document.readyState === "complete") loaded();
    else window.addEventListener("load", loaded, { once: true });
    return () => {
      window.removeEventListener("load", loaded);
      cancel(wait);
    };
  }, []);
  return settled;
}
