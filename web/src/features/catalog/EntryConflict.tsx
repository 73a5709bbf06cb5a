import { Button } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { useFocusAtFirst } from "@/ui/useFocusAtFirst";
import styles from "./EntryConflict.module.css";
import { type DraftField, type EntryDraft, fieldLabels, textOf } from "./entryDraft";

interface EntryConflictProps {
  theirs: EntryDraft;
  disputed: DraftField[];
  onTake: (field: DraftField) => void;
}

/** Says that somebody else changed the entry meanwhile, and what of it is not in the form. */
export function EntryConflict({ theirs, disputed, onTake }: EntryConflictProps) {
  // The form is long: whoever saved it at its end must see this at its beginning.
  const text = useFocusAtFirst<HTMLParagraphElement>(true);
  return (
    <Note kind="error" role="alert">
      <p ref={text} tabIndex={-1}>
        Somebody else changed this entry meanwhile, so yours is not saved yet. What they changed elsewhere is in the
        form now.{" "}
        {disputed.length > 0
          ? "What you both changed stands here as you wrote it; they wrote:"
          : "Look at it, and save again."}
      </p>
      {disputed.length > 0 && (
        <ul className={styles.list}>
          {disputed.map((field) => (
            <li key={field}>
              <span>
                <strong>{fieldLabels[field]}</strong>: {textOf(theirs, field) || "(nothing)"}
              </span>
              <Button size="small" aria-label={`Take theirs: ${fieldLabels[field]}`} onClick={() => onTake(field)}>
                Take theirs
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Note>
  );
}
