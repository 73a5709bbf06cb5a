import { lazy, Suspense, useId, useState } from "react";
import { Icon } from "@/ui/Icon";
import { searchTipsMessages as messages } from "./SearchTips.messages";
import styles from "./SearchTips.module.css";

const SearchTipsList = lazy(async () => ({ default: (await import("./SearchTipsList")).SearchTipsList }));

/** Unfolds the search syntax. */
export function SearchTips() {
  const [open, setOpen] = useState(false);
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
        {open && (
          <Suspense>
            <SearchTipsList />
          </Suspense>
        )}
      </div>
    </>
  );
}
