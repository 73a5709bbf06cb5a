import { lazy, Suspense, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { RemovableChip } from "@/ui/RemovableChip";
import { toggled } from "./filters";
import { tagFilterMessages as messages } from "./messages";
import styles from "./TagFilter.module.css";
import { type TagCount, TagList } from "./TagList";

const TagSheet = lazy(async () => ({ default: (await import("./TagSheet")).TagSheet }));

interface TagFilterProps {
  chosen: string[];
  /** The tags of what matches, the most used first; undefined while that is not known. */
  tags: TagCount[] | undefined;
  /** How many entries match. */
  total: number | undefined;
  onChange: (tags: string[]) => void;
}

/** The tags to narrow the search by: all that are chosen must be there. Beside what matches, or in a sheet on a phone. */
export function TagFilter({ chosen, tags, total, onChange }: TagFilterProps) {
  const [open, setOpen] = useState(false);
  const toggle = (tag: string) => onChange(toggled(chosen, tag));
  return (
    <>
      <section className={styles.rail} aria-labelledby="tags">
        <h2 id="tags" className={styles.heading}>
          {messages.title}
        </h2>
        <TagList chosen={chosen} tags={tags} onToggle={toggle} />
      </section>
      <div className={styles.bar}>
        <Button size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="tag" size={16} />
          {messages.title}
          {chosen.length > 0 && <span className={styles.number}>{chosen.length}</span>}
        </Button>
        {chosen.map((tag) => (
          <RemovableChip key={tag} text={tag} label={messages.remove(tag)} onRemove={() => toggle(tag)} />
        ))}
      </div>
      {open && (
        <Suspense>
          <TagSheet chosen={chosen} tags={tags} total={total} onToggle={toggle} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
