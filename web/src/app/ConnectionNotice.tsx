import { useSyncExternalStore } from "react";
import { connection } from "@/api/connection";
import { Icon } from "@/ui/Icon";
import { connectionMessages as words } from "./ConnectionNotice.messages";
import styles from "./ConnectionNotice.module.css";

/** Says that the server can't be reached and what still works, until it answers again. */
export function ConnectionNotice() {
  const lost = useSyncExternalStore(connection.subscribe, connection.isLost);
  return (
    <div aria-live="polite" className={styles.place}>
      {lost && (
        <div className={styles.notice}>
          <p className={styles.inside}>
            <Icon name="offline" />
            <span>
              <strong>{words.title}</strong> {words.body}
            </span>
          </p>
        </div>
      )}
    </div>
  );
}
