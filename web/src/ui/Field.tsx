import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./Field.module.css";

interface FieldProps extends ComponentProps<"input"> {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong with the value and how to mend it; read out with the field. */
  error?: string | undefined;
}

/** A text field with its label, help and error. */
export function Field({ label, help, error, ...rest }: FieldProps) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        autoComplete="off"
        {...rest}
        id={id}
        className={styles.input}
        {...(described && { "aria-describedby": described })}
        {...(error && { "aria-invalid": true })}
      />
      {help && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
