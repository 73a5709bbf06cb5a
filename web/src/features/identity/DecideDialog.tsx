import { useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import { FieldDialog } from "@/ui/form/FieldDialog";
import type { Change } from "./accountChanges";
import { decideDialogMessages as words } from "./DecideDialog.messages";
import styles from "./DecideDialog.module.css";
import { useDecide } from "./useDecide";

const choices: { change: Change; label: string }[] = [
  { change: "enable", label: words.enable },
  { change: "promote", label: words.promote },
  { change: "disable", label: words.disable },
];

/** Decides about an e-mail address, even if its owner has never signed in here. */
export function DecideDialog({ onClose }: { onClose: () => void }) {
  const [change, setChange] = useState<Change>("enable");
  const { mutate, isPending, error } = useDecide();
  return (
    <FieldDialog
      title={words.title}
      label={words.email}
      help={words.help}
      error={error ? reason(error) : undefined}
      inputMode="email"
      autoCapitalize="off"
      spellCheck={false}
      submit={words.save}
      cancel={words.cancel}
      busy={isPending}
      onSubmit={(email) => mutate({ email, change }, { onSuccess: onClose })}
      onClose={onClose}
    >
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
    </FieldDialog>
  );
}

function reason(error: unknown): string {
  return (error instanceof Problem && error.fields[0]?.message) || messageOf(error);
}
