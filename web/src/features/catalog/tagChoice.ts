import type { Filters } from "./filters";

export interface TagCount {
  value: string;
  count: number;
}

/** What everything that offers tags to filter by is given. */
export interface TagChoiceProps {
  filters: Filters;
  /** The tags of the results, the most used first; undefined while unknown, null if they can't be loaded. */
  tags: TagCount[] | null | undefined;
  /** The tags are those of an earlier search. */
  stale: boolean;
  onChange: (part: Partial<Filters>) => void;
}

/** How many tags a list shows until more are wanted. */
export const tagsShownAtFirst = 12;
