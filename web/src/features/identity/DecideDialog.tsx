import { useId, useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import type { Change } from "./accountChanges";
import styles from "./DecideDialog.module.css";
import { useDecide } from "./useDecide";

const choices: { change: Change; label: string }[] = [
  { change: "enable", label: "May start sessions" },
  { change: "promote", label: "Operator: decides about accounts, and may start sessions" },
  { change: "disable", label: "May not start sessions; those that run are stopped, their work is kept" },
];

/** Decides about an e-mail address, also one that never signed in here. */
export function DecideDialog({ onClose }: { onClose: () => void }) {
  const form = useId();
  const [email, setEmail] = useState("");
  const [change, setChange] = useState<Change>("enable");
  const { mutate, isPending, error } = useDecide();
  const wanted = email.trim();
  return (
    <Dialog
      title="Decide by e-mail"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" disabled={wanted === ""} busy={isPending}>
            Save
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
          label="E-mail"
          help="It counts from the first sign-in on, also for somebody who was never here."
          error={error ? reason(error) : undefined}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
        />
        <fieldset className={styles.choices}>
          <legend>Decision</legend>
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
