import type { Filters } from "@/features/catalog/filters";
import { type Sort, sortInForce, sorts } from "@/features/catalog/sorts";
import { sortChoiceMessages } from "./SortChoice.messages";
import styles from "./SortChoice.module.css";

interface SortChoiceProps {
  filters: Filters;
  onChange: (sort: Sort) => void;
}

/** The sort order, at the end of the line with the number of results. */
export function SortChoice({ filters, onChange }: SortChoiceProps) {
  const offered = (Object.keys(sorts) as Sort[]).filter((sort) => sort !== "relevance" || filters.text.trim() !== "");
  return (
    <label className={styles.sort}>
      {sortChoiceMessages.lead}
      <select
        className={styles.select}
        aria-label={sortChoiceMessages.label}
        value={sortInForce(filters)}
        onChange={(event) => onChange(event.target.value as Sort)}
      >
        {offered.map((sort) => (
          <option key={sort} value={sort}>
            {sorts[sort]}
          </option>
        ))}
      </select>
    </label>
  );
}
