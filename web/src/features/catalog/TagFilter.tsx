import { toggled } from "./filters";
import { tagFilterMessages as messages } from "./TagFilter.messages";
import styles from "./TagFilter.module.css";
import { type TagCount, TagList } from "./TagList";

export interface TagFilterProps {
  chosen: string[];
  /** The tags of the results, the most used first; undefined while unknown, null if they can't be loaded. */
  tags: TagCount[] | null | undefined;
  onChange: (tags: string[]) => void;
}

/** The tag filter beside the results; an entry has to have all chosen tags. See also TagButton. */
export function TagFilter({ chosen, tags, onChange }: TagFilterProps) {
  return (
    <section className={styles.rail} aria-labelledby="tags">
      <h2 id="tags" className={styles.heading}>
        {messages.title}
      </h2>
      <TagList chosen={chosen} tags={tags} onToggle={(tag) => onChange(toggled(chosen, tag))} />
    </section>
  );
}
