import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "./Field";
import styles from "./FieldDialog.module.css";

interface FieldDialogProps extends Omit<ComponentProps<typeof Field>, "ref" | "value" | "onChange" | "onSubmit"> {
  title: string;
  /** What the field has at first. */
  initial?: string;
  /** Above the field. */
  intro?: ReactNode;
  /** Below the field. */
  children?: ReactNode;
  submit: string;
  cancel: string;
  danger?: boolean;
  /** The submitted text is being saved. */
  busy: boolean;
  /** Receives the trimmed text, which is never empty. */
  onSubmit: (text: string) => void;
  onClose: () => void;
}

/** A dialog that asks for one text. An error is shown at the field, which gets the focus. */
export function FieldDialog(props: FieldDialogProps) {
  const {
    title,
    initial = "",
    intro,
    children,
    submit,
    cancel,
    danger = false,
    busy,
    onSubmit,
    onClose,
    ...field
  } = props;
  const form = useId();
  const [value, setValue] = useState(initial);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.error !== undefined) input.current?.focus();
  }, [field.error]);
  const text = value.trim();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" form={form} variant={danger ? "danger" : "primary"} disabled={text === ""} busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== "" && !busy) onSubmit(text);
        }}
      >
        {intro}
        <Field {...field} ref={input} value={value} onChange={(event) => setValue(event.target.value)} />
        {children}
      </form>
    </Dialog>
  );
}
