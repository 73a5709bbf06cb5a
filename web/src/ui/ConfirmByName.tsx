import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button";
import { confirmByNameMessages as words } from "./ConfirmByName.messages";
import { Dialog } from "./Dialog";
import { Filled } from "./Filled";
import { Field } from "./form/Field";

interface ConfirmByNameProps {
  /** The question, for instance "Delete session". */
  title: string;
  /** What will be gone. */
  children: ReactNode;
  /** The text that must be typed exactly. */
  name: string;
  confirmLabel?: string;
  /** The action is in progress. */
  busy?: boolean;
  /** Why the last try failed. */
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for the exact name before something is deleted for good. */
export function ConfirmByName({
  title,
  children,
  name,
  confirmLabel = words.confirm,
  busy = false,
  error,
  onConfirm,
  onClose,
}: ConfirmByNameProps) {
  const [typed, setTyped] = useState("");
  const form = useId();
  const matches = typed === name;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" form={form} variant="danger" disabled={!matches} busy={busy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (matches && !busy) onConfirm();
        }}
      >
        <Field
          label={<Filled text={words.typeName} values={{ name: <code>{name}</code> }} />}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          spellCheck={false}
          autoCapitalize="off"
          error={error}
        />
      </form>
    </Dialog>
  );
}
