import { useEffect, useId, useRef, useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/form/Field";
import type { Change } from "./accountChanges";
import { decideDialogMessages as words } from "./DecideDialog.messages";
import styles from "./DecideDialog.module.css";
import { useDecide } from "./useDecide";

const choices: { change: Change; label: string }[] = [
  { change: "enable", label: words.enable },
  { change: "promote", label: words.promote },
  { change: "disable", label: words.disable },
];

/** Decides about an e-mail address, also one that never signed in here. */
export function DecideDialog({ onClose }: { onClose: () => void }) {
  const form = useId();
  const [email, setEmail] = useState("");
  const [change, setChange] = useState<Change>("enable");
  const { mutate, isPending, error } = useDecide();
  const wanted = email.trim();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (error) field.current?.focus();
  }, [error]);
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" form={form} variant="primary" disabled={wanted === ""} busy={isPending}>
            {words.save}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== "" && !isPending) mutate({ email: wanted, change }, { onSuccess: onClose });
        }}
      >
        <Field
          ref={field}
          label={words.email}
          help={words.help}
          error={error ? reason(error) : undefined}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
        />
        <fieldset className={styles.choices}>
          <legend>{words.decision}</legend>
          {choices.map((choice) => (
            <label key={choice.change} className={styles.choice}>
              <input
                type="radio"
                name="decision"
                checked={change === choice.change}
                onChange={() => setChange(choice.change)}
              />
              {choice.label}
            </label>
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}

function reason(error: unknown): string {
  return (error instanceof Problem && error.fields[0]?.message) || messageOf(error);
}
