import { toggled } from "./filters";
import { tagFilterMessages as messages } from "./TagFilter.messages";
import styles from "./TagFilter.module.css";
import { type TagCount, TagList } from "./TagList";

export interface TagFilterProps {
  chosen: string[];
  /** The tags of what matches, the most used first; undefined while that is not known, null when it cannot be. */
  tags: TagCount[] | null | undefined;
  onChange: (tags: string[]) => void;
}

/** The tags to narrow the search by: all that are chosen must be there. Beside what matches; see also TagButton. */
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
