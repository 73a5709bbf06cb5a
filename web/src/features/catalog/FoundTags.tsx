import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { folded, inOrder } from "@/lib/tags";
import type { Filters } from "./filters";
import { resourceTypes } from "./kinds";
import { tagListMessages as messages } from "./TagList.messages";
import styles from "./TagList.module.css";
import { type TagCount, tagsShownAtFirst } from "./tagChoice";
import { matchingTagsQuery, tagsQuery } from "./tagQueries";

/** How many tags the server counts. */
const mostCounted = 50;

interface FoundTagsProps {
  filters: Filters;
  /** The text that they contain, folded. */
  wanted: string;
  chosenRows: ReactNode;
  row: (value: string, count?: number) => ReactNode;
  onChange: (part: Partial<Filters>) => void;
}

/**
 * The tags that contain a text: first those of the results, with how many would remain, then those elsewhere in the
 * catalog. None of the results has these, so choosing one shows its entries instead.
 */
export function FoundTags({ filters, wanted, chosenRows, row, onChange }: FoundTagsProps) {
  const [limit, setLimit] = useState(tagsShownAtFirst);
  const all = useQuery(tagsQuery());
  const matching = useQuery(matchingTagsQuery(filters, wanted));

  const counted = matching.data ?? [];
  const isOther = ({ value }: TagCount) => !filters.tags.includes(value);
  const near = counted.filter(isOther);
  const known = new Set(counted.map(({ value }) => value));
  const isElsewhere = (tag: TagCount) => folded(tag.value).includes(wanted) && isOther(tag) && !known.has(tag.value);
  // If the server counted as many as it does, the others may be tags of the results too.
  const far = matching.data && known.size < mostCounted ? inOrder((all.data ?? []).filter(isElsewhere)) : [];
  return (
    <>
      <ul className={styles.list} aria-label={messages.near}>
        {chosenRows}
        {near.slice(0, limit).map(({ value, count }) => row(value, count))}
      </ul>
      {far.length > 0 && (
        <>
          <h3 className={styles.elsewhere}>{messages.far}</h3>
          <ul className={styles.list} aria-label={messages.far}>
            {far.slice(0, limit).map(({ value, count }) => (
              <li key={value}>
                <button
                  type="button"
                  className={styles.tag}
                  onClick={() => onChange({ tags: [value], text: "", types: resourceTypes })}
                >
                  <span className={styles.value}>{value}</span> <span className={styles.count}>{count}</span>{" "}
                  <span className={styles.instead}>{messages.instead}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {near.length + far.length === 0 && (
        <p className={styles.none}>{matching.isPending || all.isPending ? messages.looking : messages.none}</p>
      )}
      {Math.max(near.length, far.length) > limit && (
        <button type="button" className={styles.more} onClick={() => setLimit(4 * limit)}>
          {messages.more}
        </button>
      )}
    </>
  );
}
