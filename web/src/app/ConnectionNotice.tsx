import { useSyncExternalStore } from "react";
import { connection } from "@/api/connection";
import { Icon } from "@/ui/Icon";
import { connectionMessages as words } from "./ConnectionNotice.messages";
import styles from "./ConnectionNotice.module.css";

/** Says that the server or its database can't be reached and what still works, until it answers again. */
export function ConnectionNotice() {
  const away = useSyncExternalStore(connection.subscribe, connection.away);
  return (
    <div aria-live="polite" className={styles.place}>
      {away && (
        <div className={styles.notice} data-notice>
          <p className={styles.inside}>
            <Icon name="offline" />
            <span>
              <strong>{words[away].title}</strong> {words[away].body}
            </span>
          </p>
        </div>
      )}
    </div>
  );
}
