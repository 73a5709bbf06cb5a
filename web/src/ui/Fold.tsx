import { type ReactNode, type RefObject, useContext, useEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { decoded } from "@/lib/paths";
import styles from "./Fold.module.css";
import { Icon } from "./Icon";
import { ArrivalContext } from "./Page";
import { useLocation } from "./router";

interface FoldProps {
  /** The fragment that expands it. */
  anchor: string;
  /** Open from the beginning. */
  open?: boolean;
  /** The visible part, with the heading first: cells of a grid after the icon. */
  summary: ReactNode;
  /** Sets the grid's columns and padding. */
  summaryClass: string | undefined;
  children: ReactNode;
}

/** A list item that is collapsed until it is clicked or the address's fragment names it. */
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
 * Returns the ref of a <details> that opens, scrolls into view and focuses its summary whenever the page's address gets
 * the fragment `anchor`. After Back it only opens, because the browser restores the scroll position.
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
