import { Fragment } from "react";
import { Button } from "@/ui/Button";
import { pagerMessages as words } from "./Pager.messages";
import styles from "./Pager.module.css";
import type { PagerProps } from "./pagerProps";

/** The first, the last, the pages next to the current one, and those that would be left out alone. */
function around(page: number, pages: number): number[] {
  const near = page <= 4 ? 1 : page - 1;
  const far = page >= pages - 3 ? pages : page + 1;
  const shown = Array.from({ length: far - near + 1 }, (_, index) => near + index);
  return [...new Set([1, ...shown, pages])];
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
