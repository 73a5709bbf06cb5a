import { useId } from "react";
import styles from "./Choice.module.css";

interface Option {
  name: string;
  label: string;
  /** What there is to know about it. */
  note?: string | undefined;
  disabled?: boolean;
}

interface ChoiceProps {
  legend: string;
  /** What there is to know about the choice. */
  help?: string | undefined;
  options: readonly Option[];
  chosen: string | undefined;
  onChoose: (name: string) => void;
}

/** Lets people choose one of a few, each with a note. */
export function Choice({ legend, help, options, chosen, onChoose }: ChoiceProps) {
  const group = useId();
  return (
    <fieldset className={styles.choice} aria-describedby={help && `${group}-help`}>
      <legend className={styles.legend}>{legend}</legend>
      {help && (
        <p id={`${group}-help`} className={styles.help} role="status">
          {help}
        </p>
      )}
      {options.map(({ name, label, note, disabled }) => (
        <label key={name} className={styles.option}>
          <input
            type="radio"
            name={group}
            value={name}
            checked={name === chosen}
            disabled={disabled}
            onChange={() => onChoose(name)}
          />
          <span>
            {label}
            {note && <span className={styles.reason}>{note}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
