import { lazy, type ReactNode, Suspense, useState } from "react";
import { folded } from "@/lib/tags";
import { AwaitedTags } from "./AwaitedTags";
import { toggled } from "./filters";
import { tagFilterMessages as filter } from "./TagFilter.messages";
import { tagListMessages as messages } from "./TagList.messages";
import styles from "./TagList.module.css";
import { type TagChoiceProps, tagsShownAtFirst } from "./tagChoice";

const FoundTags = lazy(async () => ({ default: (await import("./FoundTags")).FoundTags }));

/** Tags to choose from: those of the results, with how many would remain, or those that contain a text; see FoundTags. */
export function TagList({ filters, tags, stale, onChange }: TagChoiceProps) {
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(tagsShownAtFirst);
  const chosen = filters.tags;
  const wanted = folded(text.trim());

  const here = new Map(tags?.map((tag) => [tag.value, tag.count]));
  const others = tags?.filter(({ value }) => !chosen.includes(value)) ?? [];
  const row = (value: string, count?: number): ReactNode => (
    <li key={value}>
      <label className={styles.tag}>
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          onChange={() => onChange({ tags: toggled(chosen, value) })}
        />
        <span className={styles.value}>{value}</span>
        <span className={styles.count}>{count}</span>
      </label>
    </li>
  );
  const chosenRows = chosen.map((value) => row(value, here.get(value)));
  return (
    <div className={styles.tags} aria-busy={stale}>
      <input
        type="search"
        className={styles.search}
        aria-label={filter.search}
        placeholder={filter.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {wanted !== "" ? (
        <Suspense fallback={<p className={styles.none}>{messages.looking}</p>}>
          <FoundTags
            key={wanted}
            filters={filters}
            wanted={wanted}
            chosenRows={chosenRows}
            row={row}
            onChange={onChange}
          />
        </Suspense>
      ) : (
        <>
          <ul className={styles.list} aria-label={messages.near}>
            {chosenRows}
            {others.slice(0, limit).map(({ value, count }) => row(value, count))}
          </ul>
          {tags === undefined && <AwaitedTags />}
          {tags && others.length === 0 && <p className={styles.none}>{messages.noOthers}</p>}
          {others.length > limit && (
            <button type="button" className={styles.more} onClick={() => setLimit(4 * limit)}>
              {messages.more}
            </button>
          )}
        </>
      )}
    </div>
  );
}
