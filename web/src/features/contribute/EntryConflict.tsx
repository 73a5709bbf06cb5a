import { Button } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { useFocusAtFirst } from "@/ui/useFocusAtFirst";
import { entryConflictMessages as messages } from "./EntryConflict.messages";
import styles from "./EntryConflict.module.css";
import { type DraftField, type EntryDraft, fieldLabels, textOf } from "./entryDraft";

interface EntryConflictProps {
  theirs: EntryDraft;
  disputed: DraftField[];
  onTake: (field: DraftField) => void;
}

/** Says that somebody else changed the entry in the meantime, and which changes aren't in the form. */
export function EntryConflict({ theirs, disputed, onTake }: EntryConflictProps) {
  // The form is long: people who save at its end must see this at its beginning.
  const text = useFocusAtFirst<HTMLParagraphElement>(true);
  return (
    <Note kind="error" role="alert">
      <p ref={text} tabIndex={-1}>
        {messages.meanwhile} {disputed.length > 0 ? messages.disputed : messages.saveAgain}
      </p>
      {disputed.length > 0 && (
        <ul className={styles.list}>
          {disputed.map((field) => (
            <li key={field}>
              <span>
                <strong>{fieldLabels[field]}</strong>
                {messages.theirs(textOf(theirs, field))}
              </span>
              <Button size="small" aria-label={messages.takeOf(fieldLabels[field])} onClick={() => onTake(field)}>
                {messages.take}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Note>
  );
}
