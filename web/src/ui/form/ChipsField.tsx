import { type ReactNode, useRef, useState } from "react";
import { Button } from "@/ui/Button";
import { RemovableChip } from "@/ui/list/RemovableChip";
import { chipsFieldMessages as words } from "./ChipsField.messages";
import styles from "./ChipsField.module.css";
import { FieldFrame } from "./Field";

interface ChipsFieldProps {
  label: ReactNode;
  /** The noun for the buttons' names: "tag". */
  noun: string;
  values: string[];
  onChange: (values: string[]) => void;
  help?: ReactNode;
  error?: string | undefined;
  /** A value that can't be removed. */
  fixed?: string | undefined;
  inputMode?: "email";
}

/**
 * Several short texts as chips. Enter, the button or leaving the field adds the typed text, so that no input is lost. A
 * comma is part of the text.
 */
export function ChipsField({ label, noun, values, onChange, help, error, fixed, inputMode }: ChipsFieldProps) {
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = () => {
    const text = typed.trim();
    if (text !== "" && !values.includes(text)) onChange([...values, text]);
    setTyped("");
  };
  const remove = (value: string) => {
    onChange(values.filter((each) => each !== value));
    input.current?.focus();
  };
  return (
    <FieldFrame label={label} help={help} error={error}>
      {(control) => (
        <div className={styles.chips}>
          {values.length > 0 && (
            <ul className={styles.list} aria-label={words.added(noun)}>
              {values.map((value) => (
                <li key={value}>
                  {value === fixed ? (
                    <span className={styles.fixed}>{value}</span>
                  ) : (
                    <RemovableChip text={value} label={words.remove(noun, value)} onRemove={() => remove(value)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          <div className={styles.row}>
            <input
              {...control}
              ref={input}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              {...(inputMode && { inputMode })}
              enterKeyHint="done"
              onChange={(event) => setTyped(event.target.value)}
              onBlur={add}
              onKeyDown={(event) => {
                // During input composition, Enter ends the composition.
                if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
                event.preventDefault();
                add();
              }}
            />
            <Button aria-label={words.addOne(noun)} onClick={add}>
              {words.add}
            </Button>
          </div>
        </div>
      )}
    </FieldFrame>
  );
}
