import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { folded, inOrder } from "@/lib/tags";
import { Skeleton } from "@/ui/Loading";
import { tagsQuery } from "./list/listQueries";
import { tagListMessages as messages } from "./TagList.messages";
import styles from "./TagList.module.css";

export interface TagCount {
  value: string;
  count: number;
}

interface TagListProps {
  chosen: string[];
  /** The tags of the results, the most used first; undefined while unknown, null if they can't be loaded. */
  tags: TagCount[] | null | undefined;
  onToggle: (tag: string) => void;
}

const shownAtFirst = 12;

/** Tags to choose from: those of the results, and with a search text, all others of the catalog too. */
export function TagList({ chosen, tags, onToggle }: TagListProps) {
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(shownAtFirst);
  const wanted = folded(text.trim());
  const all = useQuery({ ...tagsQuery(), enabled: wanted !== "" });

  const here = new Map(tags?.map((tag) => [tag.value, tag.count]));
  const matches = ({ value }: TagCount) => !chosen.includes(value) && folded(value).includes(wanted);
  const near = tags?.filter(matches) ?? [];
  const far = wanted === "" ? [] : inOrder((all.data ?? []).filter((tag) => !here.has(tag.value) && matches(tag)));
  const row = ({ value, count }: Partial<TagCount> & { value: string }, checked = false) => (
    <li key={value}>
      <label className={styles.tag}>
        <input type="checkbox" checked={checked} onChange={() => onToggle(value)} />
        <span className={styles.value}>{value}</span>
        <span className={styles.count}>{count}</span>
      </label>
    </li>
  );
  return (
    <div className={styles.tags}>
      <input
        type="search"
        className={styles.search}
        aria-label={messages.search}
        placeholder={messages.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setLimit(shownAtFirst);
        }}
      />
      <ul className={styles.list} aria-label={messages.near}>
        {chosen.map((value) => row({ value, ...(here.has(value) && { count: here.get(value) ?? 0 }) }, true))}
        {near.slice(0, limit).map((tag) => row(tag))}
      </ul>
      {far.length > 0 && (
        <>
          <h3 className={styles.elsewhere}>{messages.far}</h3>
          <ul className={styles.list} aria-label={messages.far}>
            {far.slice(0, limit).map((tag) => row(tag))}
          </ul>
        </>
      )}
      {tags === undefined && wanted === "" && (
        <div className={styles.awaited}>
          {["60%", "75%", "50%", "65%"].map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
      )}
      {tags && near.length + far.length === 0 && (wanted !== "" || chosen.length === 0) && (
        <p className={styles.none}>{wanted !== "" && all.isPending ? messages.looking : messages.none}</p>
      )}
      {Math.max(near.length, far.length) > limit && (
        <button type="button" className={styles.more} onClick={() => setLimit(4 * limit)}>
          {messages.more}
        </button>
      )}
    </div>
  );
}
