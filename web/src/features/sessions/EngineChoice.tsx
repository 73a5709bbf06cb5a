import { useId } from "react";
import type { SessionKind } from "@/api/types";
import styles from "./EngineChoice.module.css";
import { newSessionMessages } from "./newSession.messages";

interface EngineChoiceProps {
  kinds: SessionKind[];
  chosen: string;
  onChoose: (name: string) => void;
}

/** Lets people choose where a new session runs. An engine that can't run one now says why. */
export function EngineChoice({ kinds, chosen, onChoose }: EngineChoiceProps) {
  const group = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{newSessionMessages.engine}</legend>
      {kinds.map(({ name, label, available, reason }) => (
        <label key={name} className={styles.option}>
          <input
            type="radio"
            name={group}
            value={name}
            checked={name === chosen}
            disabled={!available}
            onChange={() => onChoose(name)}
          />
          <span>
            {label}
            {!available && <span className={styles.reason}>{reason}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
