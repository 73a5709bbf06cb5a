import { Button } from "./Button";
import { pagerMessages as words } from "./messages";
import styles from "./Pager.module.css";

interface PagerProps {
  /** Counted from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** The way through the pages of a long list; nothing for a short one. */
export function Pager({ page, pages, onPage }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <nav className={styles.pages} aria-label={words.pages}>
      <Button {...(page <= 1 && { unavailable: words.first })} onClick={() => onPage(page - 1)}>
        {words.previous}
      </Button>
      <span>{words.place(page, pages)}</span>
      <Button {...(page >= pages && { unavailable: words.last })} onClick={() => onPage(page + 1)}>
        {words.next}
      </Button>
    </nav>
  );
}
