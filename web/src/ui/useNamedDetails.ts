import { type RefObject, useContext, useEffect, useRef } from "react";
import { decoded } from "@/lib/paths";
import { ArrivalContext } from "./Page";
import { useLocation } from "./router";

/**
 * The ref of a <details> that the address names when `anchor` is behind its #: then it opens, comes into sight and gives
 * its summary the focus, with each move to that address. Going back to the page it only opens: where one returns
 * to is the browser's own affair.
 */
export function useNamedDetails(anchor: string): RefObject<HTMLDetailsElement | null> {
  const { hash, key, type } = useLocation();
  const { moved } = useContext(ArrivalContext);
  const details = useRef<HTMLDetailsElement>(null);
  const wentBack = useRef(moved && type === "POP");
  const named = decoded(hash.slice(1)) === anchor;
  useEffect(() => {
    const stays = wentBack.current;
    wentBack.current = false;
    if (!named || !key || !details.current) return;
    details.current.open = true;
    if (stays) return;
    details.current.scrollIntoView();
    details.current.querySelector("summary")?.focus({ preventScroll: true });
  }, [named, key]);
  return details;
}
