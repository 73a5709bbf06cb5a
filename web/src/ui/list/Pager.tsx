import { lazy, Suspense } from "react";
import type { PagerProps } from "./pagerProps";

// Most lists have one page.
const PagerLinks = lazy(async () => ({ default: (await import("./PagerLinks")).PagerLinks }));

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
