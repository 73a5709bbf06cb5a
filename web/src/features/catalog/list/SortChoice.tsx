import type { Filters } from "@/features/catalog/filters";
import { type Sort, sortInForce, sorts } from "@/features/catalog/sorts";
import { LineChoice } from "@/ui/list/LineChoice";
import { sortChoiceMessages as messages } from "./SortChoice.messages";

interface SortChoiceProps {
  filters: Filters;
  onChange: (sort: Sort) => void;
}

/** The sort order, at the end of the line with the number of results. */
export function SortChoice({ filters, onChange }: SortChoiceProps) {
  const { relevance, ...others } = sorts;
  const options = filters.text.trim() === "" ? others : sorts;
  return (
    <LineChoice<Sort>
      lead={messages.lead}
      label={messages.label}
      value={sortInForce(filters)}
      options={options as Record<Sort, string>}
      onChange={onChange}
    />
  );
}
