import { type ReactNode, useRef } from "react";
import styles from "./PagedList.module.css";
import { Pager } from "./Pager";

interface PagedListProps {
  label: string;
  /** The total number on all pages, as text. */
  total: string;
  /** The rows are from another page until this one is loaded. */
  busy: boolean;
  /** Counted from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
  /** Each an `li`. */
  children: ReactNode;
}

/** One page of a list, with the total number above and the pager below. */
export function PagedList({ label, total, busy, page, pages, onPage, children }: PagedListProps) {
  const list = useRef<HTMLElement>(null);
  return (
    <section ref={list} className={styles.list} aria-label={label} tabIndex={-1}>
      <p className={styles.total} role="status">
        {total}
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" className={styles.rows} aria-busy={busy}>
        {children}
      </ul>
      <Pager page={page} pages={pages} onPage={onPage} list={list} />
    </section>
  );
}
