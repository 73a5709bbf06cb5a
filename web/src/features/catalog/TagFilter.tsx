import { lazy, Suspense } from "react";
import { AwaitedTags } from "./AwaitedTags";
import { tagFilterMessages as messages } from "./TagFilter.messages";
import styles from "./TagFilter.module.css";
import list from "./TagList.module.css";
import type { TagChoiceProps } from "./tagChoice";

const TagList = lazy(async () => ({ default: (await import("./TagList")).TagList }));

/** The tag filter beside the results; an entry has to have all chosen tags. See also TagButton. */
export function TagFilter(props: TagChoiceProps) {
  return (
    <section className={styles.rail} aria-labelledby="tags">
      <h2 id="tags" className={styles.heading}>
        {messages.title}
      </h2>
      <Suspense fallback={<Awaited />}>
        <TagList {...props} />
      </Suspense>
    </section>
  );
}

/** What is shown until the list can be used, as in the document. */
function Awaited() {
  return (
    <div className={list.tags} aria-busy="true">
      <input
        type="search"
        className={list.search}
        disabled
        aria-label={messages.search}
        placeholder={messages.placeholder}
      />
      <ul className={list.list} />
      <AwaitedTags />
    </div>
  );
}
