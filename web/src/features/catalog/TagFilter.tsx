import { useState } from "react";
import { breakpoints } from "@/lib/constants";
import { toggled } from "./filters";
import styles from "./TagFilter.module.css";

interface TagFilterProps {
  chosen: string[];
  /** The tags of what matches, the most used first. */
  tags: { value: string; count: number }[];
  onChange: (tags: string[]) => void;
}

const shownAtFirst = 12;

/** The tags of what matches, to narrow the search: all that are chosen must be there. Folded on a narrow window. */
export function TagFilter({ chosen, tags, onChange }: TagFilterProps) {
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState(() => window.innerWidth >= breakpoints.desktop);

  const counts = new Map(tags.map((tag) => [tag.value, tag.count]));
  const others = tags.map((tag) => tag.value).filter((value) => !chosen.includes(value));
  const sought = others.filter((value) => value.toLowerCase().includes(text.trim().toLowerCase()));
  const shown = all || text !== "" ? sought : sought.slice(0, shownAtFirst);

  return (
    <details className={styles.filter} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        Tags
        {chosen.length > 0 && <span className={styles.number}>{chosen.length}</span>}
      </summary>
      <input
        type="search"
        className={styles.search}
        aria-label="Search within tags"
        placeholder="Find a tag"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ul className={styles.list}>
        {[...chosen, ...shown].map((value) => (
          <li key={value}>
            <label className={styles.tag}>
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={() => onChange(toggled(chosen, value))}
              />
              <span className={styles.value}>{value}</span>
              <span className={styles.count}>{counts.get(value)}</span>
            </label>
          </li>
        ))}
      </ul>
      {sought.length === 0 && chosen.length === 0 && <p className={styles.none}>No tags here</p>}
      {shown.length < sought.length && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          Show {sought.length - shown.length} more
        </button>
      )}
    </details>
  );
}
