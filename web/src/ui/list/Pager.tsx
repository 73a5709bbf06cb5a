import type { RefObject } from "react";
import { Button } from "@/ui/Button";
import { pagerMessages as words } from "./Pager.messages";
import styles from "./Pager.module.css";

interface PagerProps {
  /** Counted from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
  /** The paged element: a new page scrolls to its top and focuses it. It needs a tabIndex of -1. */
  list: RefObject<HTMLElement | null>;
}

/** Navigation between the pages of a list; nothing for a single page. */
export function Pager({ page, pages, onPage, list }: PagerProps) {
  if (pages <= 1) return null;
  const show = (wanted: number) => {
    onPage(wanted);
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  };
  return (
    <nav className={styles.pages} aria-label={words.pages}>
      <Button {...(page <= 1 && { unavailable: words.first })} onClick={() => show(page - 1)}>
        {words.previous}
      </Button>
      <span>{words.place(page, pages)}</span>
      <Button {...(page >= pages && { unavailable: words.last })} onClick={() => show(page + 1)}>
        {words.next}
      </Button>
    </nav>
  );
}
