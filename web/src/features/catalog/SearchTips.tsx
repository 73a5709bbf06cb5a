import styles from "./SearchTips.module.css";

const tips: [example: string, meaning: string][] = [
  ["spike mem", "both words, in any order; the last may be unfinished"],
  ['"visual cortex"', "exactly these words"],
  ["tag:neuroscience", "with this tag"],
  ["type:model", "of this type: repository, notebook, dataset or model"],
  ["author:ada", "by this author"],
];

/** What can be typed into the search box besides plain words. */
export function SearchTips() {
  return (
    <details className={styles.tips}>
      <summary className={styles.summary}>Search tips</summary>
      <dl className={styles.list}>
        {tips.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
