import { Button } from "./Button";
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
    <nav className={styles.pages} aria-label="Pages">
      <Button {...(page <= 1 && { unavailable: "This is the first page" })} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <span>
        Page {page} of {pages}
      </span>
      <Button {...(page >= pages && { unavailable: "This is the last page" })} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
