import { Chip } from "@/ui/Chip";
import { sessionFilterMessages as messages } from "./messages";
import styles from "./SessionFilter.module.css";
import { type Status, statuses, statusTones } from "./statuses";

interface SessionFilterProps {
  /** The state that is shown; undefined for all. */
  shown: Status | undefined;
  onShow: (status: Status | undefined) => void;
}

/** Chooses the sessions of one state, or all. */
export function SessionFilter({ shown, onShow }: SessionFilterProps) {
  return (
    <fieldset className={styles.filter} aria-label={messages.label}>
      <Chip pressed={shown === undefined} onToggle={() => onShow(undefined)}>
        {messages.all}
      </Chip>
      {statuses.map((status) => (
        <Chip key={status} tone={statusTones[status]} pressed={shown === status} onToggle={() => onShow(status)}>
          {status}
        </Chip>
      ))}
    </fieldset>
  );
}
