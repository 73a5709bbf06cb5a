import { lazy, type RefObject, Suspense } from "react";

// Most lists have one page.
const PagerLinks = lazy(async () => ({ default: (await import("./PagerLinks")).PagerLinks }));

export interface PagerProps {
  /** Counted from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
  /** The paged element: a new page scrolls to its top and focuses it. It needs a tabIndex of -1. */
  list: RefObject<HTMLElement | null>;
}

/** Navigation between the pages of a list; nothing for a single page. */
export function Pager(props: PagerProps) {
  return (
    props.pages > 1 && (
      <Suspense>
        <PagerLinks {...props} />
      </Suspense>
    )
  );
}
