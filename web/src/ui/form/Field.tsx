import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "@/lib/classes";
import styles from "./Field.module.css";

interface Frame {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong with the value and how to fix it; announced with the field. */
  error?: string | undefined;
}

/** The attributes that connect a control to its label, help and error. */
interface Control {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

function useFrame({ label, help, error }: Frame) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ");
  const control: Control = {
    id,
    ...(described && { "aria-describedby": described }),
    ...(error && { "aria-invalid": true }),
  };
  const name = (
    <label className={styles.label} htmlFor={id}>
      {label}
    </label>
  );
  const notes = (
    <>
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
    </>
  );
  return { control, name, notes };
}

interface FieldFrameProps extends Frame {
  children: (control: Control & { className: string | undefined }) => ReactNode;
}

/** The label, help and error around a control of any kind. */
export function FieldFrame({ children, ...frame }: FieldFrameProps) {
  const { control, name, notes } = useFrame(frame);
  return (
    <div className={styles.field}>
      {name}
      {children({ ...control, className: styles.input })}
      {notes}
    </div>
  );
}

interface FieldProps extends Frame, ComponentProps<"input"> {}

/** A text field with its label, help and error. */
export function Field({ label, help, error, ...rest }: FieldProps) {
  return (
    <FieldFrame label={label} help={help} error={error}>
      {(control) => <input autoComplete="off" {...rest} {...control} />}
    </FieldFrame>
  );
}

interface TextAreaProps extends Frame, ComponentProps<"textarea"> {}

/** A field for a longer text. */
export function TextArea({ label, help, error, ...rest }: TextAreaProps) {
  return (
    <FieldFrame label={label} help={help} error={error}>
      {(control) => <textarea {...rest} {...control} className={classes(control.className, styles.lines)} />}
    </FieldFrame>
  );
}

interface ChoiceProps extends Frame, ComponentProps<"input"> {
  type: "checkbox" | "radio";
}

/** A checkbox or radio button, with its label. */
export function Choice({ label, help, error, ...rest }: ChoiceProps) {
  const { control, name, notes } = useFrame({ label, help, error });
  return (
    <div className={styles.choice}>
      <input {...rest} {...control} />
      <div>
        {name}
        {notes}
      </div>
    </div>
  );
}
