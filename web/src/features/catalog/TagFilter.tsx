import type { Filters } from "./filters";
import { tagFilterMessages as messages } from "./TagFilter.messages";
import styles from "./TagFilter.module.css";
import { type TagCount, TagList } from "./TagList";

export interface TagFilterProps {
  filters: Filters;
  /** The tags of the results, the most used first; undefined while unknown, null if they can't be loaded. */
  tags: TagCount[] | null | undefined;
  /** The tags are those of an earlier search. */
  stale: boolean;
  onChange: (part: Partial<Filters>) => void;
}

/** The tag filter beside the results; an entry has to have all chosen tags. See also TagButton. */
export function TagFilter(props: TagFilterProps) {
  return (
    <section className={styles.rail} aria-labelledby="tags">
      <h2 id="tags" className={styles.heading}>
        {messages.title}
      </h2>
      <TagList {...props} />
    </section>
  );
}
