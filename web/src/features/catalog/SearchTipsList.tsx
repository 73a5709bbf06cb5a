import { Filled } from "@/ui/Filled";
import { useShortcuts } from "@/ui/list/shortcuts";
import styles from "./SearchTips.module.css";
import { searchTipsListMessages as messages } from "./SearchTipsList.messages";

/** What can be typed, and the key that focuses the search box. */
export function SearchTipsList() {
  const { on, turn } = useShortcuts();
  return (
    <>
      <dl className={styles.list}>
        {messages.tips.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.key}>
        <Filled text={messages.key} values={{ key: <kbd>/</kbd> }} />{" "}
        <button type="button" className={styles.turn} onClick={() => turn(!on)}>
          {on ? messages.turnOff : messages.turnOn}
        </button>
      </p>
    </>
  );
}
