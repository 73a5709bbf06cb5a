import type { RefObject } from "react";

export interface PagerProps {
  /** Counted from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
  /** The paged element: a new page scrolls to its top and focuses it. It needs a tabIndex of -1. */
  list: RefObject<HTMLElement | null>;
}
