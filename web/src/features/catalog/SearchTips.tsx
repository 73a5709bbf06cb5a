import { searchTipsMessages } from "./messages";
import styles from "./SearchTips.module.css";

/** What can be typed into the search box besides plain words. */
export function SearchTips() {
  return (
    <details className={styles.tips}>
      <summary className={styles.summary}>{searchTipsMessages.title}</summary>
      <dl className={styles.list}>
        {searchTipsMessages.tips.map(([example, meaning]) => (
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
