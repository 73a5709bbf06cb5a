import { type ReactNode, type RefObject, useContext, useEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { decoded } from "@/lib/paths";
import styles from "./Fold.module.css";
import { Icon } from "./Icon";
import { ArrivalContext } from "./Page";
import { useLocation } from "./router";

interface FoldProps {
  /** The address of the page with this behind its # opens the part. */
  anchor: string;
  /** Open from the beginning. */
  open?: boolean;
  /** What is always seen, the heading first: the cells of a grid behind the sign. */
  summary: ReactNode;
  /** Gives the grid its columns and its padding. */
  summaryClass: string | undefined;
  children: ReactNode;
}

/** A part of a list of its like that is folded away until somebody wants it, or the address names it. */
export function Fold({ anchor, open = false, summary, summaryClass, children }: FoldProps) {
  return (
    <details ref={useNamedDetails(anchor)} id={anchor} className={styles.fold} open={open}>
      <summary className={classes(styles.summary, summaryClass)}>
        <Icon name="chevronDown" />
        {summary}
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}

/**
 * The ref of a <details> that the address names when `anchor` is behind its #: then it opens, comes into sight and gives
 * its summary the focus, with each move to that address. Going back to the page it only opens: where one returns
 * to is the browser's own affair.
 */
function useNamedDetails(anchor: string): RefObject<HTMLDetailsElement | null> {
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
