import type { RunOutcome } from "@/api/types";
import { number } from "@/lib/format";
import { Chip } from "@/ui/list/Chip";
import type { Tone } from "@/ui/tone";
import { toggled } from "./filters";
import { runFilterMessages as messages } from "./RunFilter.messages";
import { runOutcomes } from "./runOutcomes";
import styles from "./TypeFilter.module.css";

const tones: Record<RunOutcome, Tone> = { clean: "green", differs: "purple", fails: "red", never: "grey" };

interface RunFilterProps {
  chosen: RunOutcome[] | undefined;
  /** How many entries came out like this under the other filters. */
  counts: Record<RunOutcome, number> | undefined;
  /** The counts are those of an earlier search. */
  stale: boolean;
  onChange: (runs: RunOutcome[]) => void;
}

/** How the last runs came out, as switches with their counts. None chosen means any. */
export function RunFilter({ chosen = [], counts, stale, onChange }: RunFilterProps) {
  return (
    <fieldset className={styles.types} aria-busy={stale}>
      <legend className="visually-hidden">{messages.label}</legend>
      {runOutcomes.map((outcome) => (
        <Chip
          key={outcome}
          tone={tones[outcome]}
          pressed={chosen.includes(outcome)}
          onToggle={() => onChange(toggled(chosen, outcome))}
        >
          {messages.outcomes[outcome]}
          <span className={styles.count}>{counts && number(counts[outcome])}</span>
        </Chip>
      ))}
    </fieldset>
  );
}
