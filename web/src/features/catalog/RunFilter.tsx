import type { RunOutcome } from "@/api/types";
import { number } from "@/lib/format";
import { LineChoice } from "@/ui/list/LineChoice";
import { runFilterMessages as messages } from "./RunFilter.messages";
import { runOutcomes } from "./runOutcomes";

interface RunFilterProps {
  /** More than one only by an address. */
  chosen: RunOutcome[] | undefined;
  /** How many entries came out like this under the other filters. */
  counts: Record<RunOutcome, number> | undefined;
  /** The counts are those of an earlier search. */
  stale: boolean;
  onChange: (runs: RunOutcome[]) => void;
}

/** How the last run came out, each outcome with its count. */
export function RunFilter({ chosen = [], counts, stale, onChange }: RunFilterProps) {
  const several = chosen.length > 1 && { [chosen.join()]: messages.several(chosen.length) };
  const outcomes = runOutcomes.map((outcome) => {
    const name = messages.outcomes[outcome];
    return [outcome, counts && !stale ? messages.counted(name, number(counts[outcome])) : name];
  });
  return (
    <LineChoice
      lead={messages.lead}
      label={messages.label}
      value={chosen.join()}
      options={{ "": messages.any, ...several, ...Object.fromEntries(outcomes) }}
      onChange={(value) => onChange(value === "" ? [] : (value.split(",") as RunOutcome[]))}
    />
  );
}
