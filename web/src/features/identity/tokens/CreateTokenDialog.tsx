import { useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import type { CreatedToken, TokenScope } from "@/api/types";
import { Choice, FieldFrame } from "@/ui/form/Field";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { Note } from "@/ui/Note";
import { createTokenMessages as words } from "./CreateTokenDialog.messages";
import styles from "./CreateTokenDialog.module.css";
import { scopeMessages } from "./scopes.messages";
import { useCreateToken } from "./tokenQueries";

const scopes = Object.keys(scopeMessages) as TokenScope[];
const lifetimes = [7, 30, 90, 180, 365];

interface CreateTokenDialogProps {
  onCreated: (token: CreatedToken) => void;
  onClose: () => void;
}

/** Asks for the name, the scopes and the lifetime of a new token. */
export function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const [chosen, setChosen] = useState<TokenScope[]>(["read"]);
  const [expires, setExpires] = useState(90);
  const [missing, setMissing] = useState(false);
  const { mutate, isPending, error } = useCreateToken();
  const toggle = (scope: TokenScope) => {
    setMissing(false);
    setChosen(scopes.filter((each) => (each === scope) !== chosen.includes(each)));
  };
  return (
    <FieldDialog
      title={words.title}
      label={words.name}
      help={words.nameHelp}
      maxLength={100}
      error={error ? reason(error) : undefined}
      submit={words.create}
      cancel={words.cancel}
      busy={isPending}
      onSubmit={(name) => {
        if (chosen.length === 0) setMissing(true);
        else mutate({ name, scopes: chosen, expires }, { onSuccess: onCreated });
      }}
      onClose={onClose}
    >
      <fieldset className={styles.scopes}>
        <legend>{words.scopes}</legend>
        {scopes.map((scope) => (
          <Choice
            key={scope}
            type="checkbox"
            label={scopeMessages[scope].label}
            help={scopeMessages[scope].help}
            checked={chosen.includes(scope)}
            onChange={() => toggle(scope)}
          />
        ))}
        {missing && (
          <Note kind="error" role="alert">
            {words.noScope}
          </Note>
        )}
        <p className={styles.note}>{words.scopesNote}</p>
      </fieldset>
      <FieldFrame label={words.expires}>
        {(control) => (
          <select {...control} value={expires} onChange={(event) => setExpires(Number(event.target.value))}>
            {lifetimes.map((days) => (
              <option key={days} value={days}>
                {words.days(days)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
    </FieldDialog>
  );
}

function reason(error: unknown): string {
  return (error instanceof Problem && error.fields[0]?.message) || messageOf(error);
}
