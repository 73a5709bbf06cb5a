import styles from "./LineChoice.module.css";

interface LineChoiceProps<Value extends string> {
  /** Before the choice, for those who see it. */
  lead: string;
  /** Its name. */
  label: string;
  value: Value;
  /** The texts of the values, in their order. */
  options: Record<Value, string>;
  onChange: (value: Value) => void;
}

/** A choice of one value, within a line of text. */
export function LineChoice<Value extends string>({ lead, label, value, options, onChange }: LineChoiceProps<Value>) {
  return (
    <label className={styles.choice}>
      {lead}
      <select
        className={styles.select}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {Object.entries<string>(options).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
