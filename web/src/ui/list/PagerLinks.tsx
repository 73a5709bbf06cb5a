import { Fragment } from "react";
import { Button } from "@/ui/Button";
import { pagerMessages as words } from "./Pager.messages";
import styles from "./Pager.module.css";
import type { PagerProps } from "./pagerProps";

/** The first, the last, and the pages next to the current one. */
function around(page: number, pages: number): number[] {
  return [...new Set([1, page - 1, page, page + 1, pages])].filter((one) => one >= 1 && one <= pages);
}

/** The buttons of a Pager. */
export function PagerLinks({ page, pages, onPage, list }: PagerProps) {
  const show = (wanted: number) => {
    onPage(wanted);
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  };
  return (
    <nav className={styles.pages} aria-label={words.pages}>
      <Button size="small" {...(page <= 1 && { unavailable: words.first })} onClick={() => show(page - 1)}>
        {words.previous}
      </Button>
      <span className="visually-hidden">{words.place(page, pages)}</span>
      {around(page, pages).map((one, index, shown) => (
        <Fragment key={one}>
          {one - (shown[index - 1] ?? 0) > 1 && <span aria-hidden="true">…</span>}
          <Button
            size="small"
            variant={one === page ? "primary" : "quiet"}
            aria-label={words.page(one)}
            {...(one === page && { "aria-current": "page" })}
            onClick={() => one !== page && show(one)}
          >
            {one}
          </Button>
        </Fragment>
      ))}
      <Button size="small" {...(page >= pages && { unavailable: words.last })} onClick={() => show(page + 1)}>
        {words.next}
      </Button>
    </nav>
  );
}
