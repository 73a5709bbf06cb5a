import type { ResourceType } from "@/api/types";
import { number } from "@/lib/format";
import { Chip } from "@/ui/list/Chip";
import { toggled } from "./filters";
import { kinds, resourceTypes } from "./kinds";
import { typeFilterMessages as messages } from "./TypeFilter.messages";
import styles from "./TypeFilter.module.css";

interface TypeFilterProps {
  chosen: ResourceType[];
  /** How many entries of each type match the other filters. */
  counts: Record<string, number> | undefined;
  /** The counts are those of an earlier search. */
  stale: boolean;
  onChange: (types: ResourceType[]) => void;
}

/**
 * The types as switches with their counts, each with a way to choose it alone, and all of them at once. None chosen means
 * any.
 */
export function TypeFilter({ chosen, counts, stale, onChange }: TypeFilterProps) {
  return (
    <fieldset className={styles.types} aria-busy={stale}>
      <legend className="visually-hidden">{messages.label}</legend>
      <Chip
        pressed={chosen.length === 0 || chosen.length === resourceTypes.length}
        onToggle={() => onChange(resourceTypes)}
      >
        {messages.all}
      </Chip>
      {resourceTypes.map((type) => (
        <span key={type} className={styles.type}>
          <Chip
            tone={kinds[type].tone}
            pressed={chosen.includes(type)}
            onToggle={() => onChange(toggled(chosen, type))}
          >
            {kinds[type].plural}
            <span className={styles.count}>{counts && number(counts[type] ?? 0)}</span>
          </Chip>
          <button
            type="button"
            className={styles.only}
            aria-label={messages.onlyOf(kinds[type].plural)}
            onClick={() => onChange([type])}
          >
            {messages.only}
          </button>
        </span>
      ))}
    </fieldset>
  );
}
