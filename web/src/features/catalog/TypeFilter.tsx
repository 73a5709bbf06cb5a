import type { ResourceType } from "@/api/types";
import { classes } from "@/lib/classes";
import { number } from "@/lib/format";
import { toneClass } from "@/ui/tone";
import { toggled } from "./filters";
import { kinds, resourceTypes } from "./kinds";
import { typeFilterMessages as messages } from "./TypeFilter.messages";
import styles from "./TypeFilter.module.css";

interface TypeFilterProps {
  /** None means all. */
  chosen: ResourceType[];
  /** How many entries of each type match the other filters. */
  counts: Record<string, number> | undefined;
  /** The counts are those of an earlier search. */
  stale: boolean;
  onChange: (types: ResourceType[]) => void;
}

/** The types as switches with their counts, joined in a row, each with a way to choose it alone, and from there all again. */
export function TypeFilter({ chosen, counts, stale, onChange }: TypeFilterProps) {
  const pressed = chosen.length === 0 ? resourceTypes : chosen;
  return (
    <fieldset className={styles.types} aria-busy={stale}>
      <legend className="visually-hidden">{messages.label}</legend>
      {resourceTypes.map((type) => {
        const name = kinds[type].plural;
        const alone = pressed.length === 1 && pressed[0] === type;
        return (
          <span key={type} className={classes(styles.type, toneClass(kinds[type].tone))}>
            <button
              type="button"
              className={styles.toggle}
              aria-pressed={pressed.includes(type)}
              onClick={() => onChange(toggled(pressed, type))}
            >
              <span>{name}</span>
              <span className={styles.count}>{counts && number(counts[type] ?? 0)}</span>
            </button>
            <button
              type="button"
              className={styles.only}
              aria-label={alone ? messages.all : messages.onlyOf(name)}
              onClick={() => onChange(alone ? resourceTypes : [type])}
            >
              {alone ? messages.allShort : messages.only}
            </button>
          </span>
        );
      })}
    </fieldset>
  );
}
