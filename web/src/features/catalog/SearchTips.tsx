import { useId, useState } from "react";
import { Icon } from "@/ui/Icon";
import { useShortcuts } from "@/ui/list/shortcuts";
import { searchTipsMessages as messages } from "./SearchTips.messages";
import styles from "./SearchTips.module.css";

/** Explains the search syntax and the key that focuses the search box. */
export function SearchTips() {
  const [open, setOpen] = useState(false);
  const { on, turn } = useShortcuts();
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={styles.summary}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {messages.title}
        <Icon name="chevronDown" size={16} />
      </button>
      <div id={id} className={styles.tips} hidden={!open}>
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
          {messages.key[0]}
          <kbd>/</kbd>
          {messages.key[1]}{" "}
          <button type="button" className={styles.turn} onClick={() => turn(!on)}>
            {on ? messages.turnOff : messages.turnOn}
          </button>
        </p>
      </div>
    </>
  );
}
