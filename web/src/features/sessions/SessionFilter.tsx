import { useId } from "react";
import type { Session } from "@/api/types";
import { classes } from "@/lib/classes";
import { type Tone, toneClass } from "@/ui/tone";
import { sessionFilterMessages as messages } from "./SessionFilter.messages";
import styles from "./SessionFilter.module.css";
import { type Status, statuses, statusTones } from "./statuses";

interface SessionFilterProps {
  /** Undefined while they are not known. */
  sessions: Session[] | undefined;
  /** The state that is shown; undefined for all. */
  shown: Status | undefined;
  onShow: (status: Status | undefined) => void;
}

/** Filters sessions by state, and shows how many there are in each. */
export function SessionFilter({ sessions, shown, onShow }: SessionFilterProps) {
  const choice = (status?: Status) => ({
    count: sessions?.filter((each) => status === undefined || each.status === status).length,
    pressed: shown === status,
    onPress: () => onShow(status),
  });
  return (
    <fieldset className={styles.filter} aria-label={messages.label}>
      <Choice text={messages.all} tone="grey" {...choice()} />
      {statuses.map((status) => (
        <Choice key={status} text={status} tone={statusTones[status]} {...choice(status)} />
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  text: string;
  tone: Tone;
  count: number | undefined;
  pressed: boolean;
  onPress: () => void;
}

function Choice({ text, tone, count, pressed, onPress }: ChoiceProps) {
  const number = useId();
  return (
    <button
      type="button"
      className={classes(styles.choice, toneClass(tone), count === 0 && styles.none)}
      aria-pressed={pressed}
      aria-describedby={number}
      onClick={onPress}
    >
      {text}
      <span id={number} className={styles.count} aria-hidden="true">
        {count}
      </span>
    </button>
  );
}
