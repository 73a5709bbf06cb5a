import { useId } from "react";
import styles from "./TableChoice.module.css";

interface TableChoiceProps {
  label: string;
  value: string | undefined;
  /** Values and what is shown for them, in the order of the table. */
  options: readonly { value: string; text: string }[];
  onChange: (value: string) => void;
}

/** A choice of what is shown of a table. */
export function TableChoice({ label, value, options, onChange }: TableChoiceProps) {
  const select = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={select}>{label}</label>
      <select id={select} className={styles.select} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}
