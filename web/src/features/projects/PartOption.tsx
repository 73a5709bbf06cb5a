import type { Resource } from "@/api/types";
import { classes } from "@/lib/classes";
import { Icon } from "@/ui/Icon";
import styles from "./PartOption.module.css";
import { partMessages as messages } from "./part.messages";

interface PartOptionProps {
  id: string;
  part: Resource;
  /** The arrow keys are on it. */
  active: boolean;
  chosen: boolean;
  onPick: () => void;
}

/** An entry in the list of a picker. */
export function PartOption({ id, part, active, chosen, onPick }: PartOptionProps) {
  const { name, type, authorNames = [], privacy, starred, description } = part;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list's text field handles the keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className={classes(styles.option, active && styles.active)}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <Icon name={type === "REPOSITORY" ? "branch" : "database"} size={18} />
      <span className={styles.text}>
        <span className={styles.name}>
          <bdi>{name}</bdi>
          {privacy === "PRIVATE" && (
            <span className={styles.sign} title={messages.private}>
              <Icon name="eyeOff" size={15} />
              <span className="visually-hidden">{messages.isPrivate}</span>
            </span>
          )}
          {starred && (
            <span className={classes(styles.sign, styles.starred)} title={messages.starred}>
              <Icon name="star" size={14} filled />
              <span className="visually-hidden">{messages.isStarred}</span>
            </span>
          )}
        </span>
        <span className={styles.note}>{[authorNames[0], description].filter(Boolean).join(" · ")}</span>
      </span>
      {chosen && <Icon name="check" size={18} />}
    </div>
  );
}
