import type { ResourceType } from "@/api/types";
import { Chip } from "@/ui/list/Chip";
import { toggled } from "./filters";
import { kinds, resourceTypes } from "./kinds";
import { typeFilterMessages } from "./TypeFilter.messages";
import styles from "./TypeFilter.module.css";

interface TypeFilterProps {
  chosen: ResourceType[];
  /** How many entries of each type match the other filters. */
  counts: Record<string, number> | undefined;
  onChange: (types: ResourceType[]) => void;
}

/** The types as switches with their counts. None chosen means any. */
export function TypeFilter({ chosen, counts, onChange }: TypeFilterProps) {
  return (
    <fieldset className={styles.types}>
      <legend className="visually-hidden">{typeFilterMessages.label}</legend>
      {resourceTypes.map((type) => (
        <Chip
          key={type}
          tone={kinds[type].tone}
          pressed={chosen.includes(type)}
          onToggle={() => onChange(toggled(chosen, type))}
        >
          {kinds[type].plural}
          <span className={styles.count}>{counts?.[type] ?? (counts ? 0 : "")}</span>
        </Chip>
      ))}
    </fieldset>
  );
}
