import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { Note } from "@/ui/Note";
import styles from "./Form.module.css";

interface FormProps {
  onSubmit: () => void;
  /** Why the last submission failed. */
  error?: string | undefined;
  /** Changes with each failed submission, to focus the first invalid field. */
  failures: number;
  /** The buttons, the main one first. */
  actions: ReactNode;
  children: ReactNode;
}

/** A form with its fields in one column and its buttons. */
export function Form({ onSubmit, error, failures, actions, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures === 0) return;
    const refused = [...(form.current?.querySelectorAll<HTMLElement>("[aria-invalid]") ?? [])];
    for (const field of refused) field.closest("details")?.toggleAttribute("open", true);
    refused[0]?.focus();
  }, [failures]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      {children}
      {error && (
        <Note kind="error" role="alert">
          {error}
        </Note>
      )}
      <div className={styles.actions}>{actions}</div>
    </form>
  );
}

/** Choices or fields of a form that belong together. */
export function FormGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}
