import { useRef } from "react";
import { Button } from "@/ui/Button";
import { RemovableChip } from "@/ui/list/RemovableChip";
import { appliedFiltersMessages as messages } from "./AppliedFilters.messages";
import styles from "./AppliedFilters.module.css";
import type { Filters } from "./filters";
import { toggled } from "./filters";
import { kinds, resourceTypes } from "./kinds";

interface AppliedFiltersProps {
  filters: Filters;
  onChange: (part: Partial<Filters>) => void;
}

/**
 * The chosen tags, each with a button that removes it. The text and the types stand in their own controls right above, and
 * are named here on paper alone; choosing all types is the same as none.
 */
export function AppliedFilters({ filters: { text, types, tags }, onChange }: AppliedFiltersProps) {
  const row = useRef<HTMLDivElement>(null);
  const shownTypes = types.length < resourceTypes.length ? types : [];
  const change = (part: Partial<Filters>) => {
    onChange(part);
    // The focused button disappears.
    row.current?.focus({ preventScroll: true });
  };
  const none = text === "" && shownTypes.length === 0 && tags.length === 0;
  return (
    // A group and not a region, because an empty one would be a landmark that leads nowhere.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form.
    <div
      ref={row}
      role="group"
      tabIndex={-1}
      className={styles.row}
      data-empty={tags.length === 0}
      data-none={none}
      aria-label={messages.label}
    >
      <span className={styles.above}>
        {[...(text === "" ? [] : [messages.text(text)]), ...shownTypes.map((type) => kinds[type].plural)].join(", ")}
      </span>
      {tags.map((tag) => (
        <RemovableChip
          key={tag}
          text={tag}
          label={messages.removeTag(tag)}
          onRemove={() => change({ tags: toggled(tags, tag) })}
        />
      ))}
      {tags.length > 0 && (
        <Button
          variant="quiet"
          size="small"
          onClick={() => change({ text: "", types: resourceTypes, tags: [], runs: [] })}
        >
          {messages.clear}
        </Button>
      )}
    </div>
  );
}
