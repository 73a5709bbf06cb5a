import { lazy, Suspense, useDeferredValue } from "react";
import { TextArea } from "@/ui/form/Field";
import { Skeleton } from "@/ui/Loading";
import { descriptionFieldMessages } from "./DescriptionField.messages";
import styles from "./DescriptionField.module.css";
import { fieldMessages } from "./field.messages";
import { fieldHelpMessages } from "./fieldHelp.messages";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

interface DescriptionFieldProps {
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

/** A Markdown field with a preview below it. */
export function DescriptionField({ text, error, onChange }: DescriptionFieldProps) {
  const shown = useDeferredValue(text);
  return (
    <div className={styles.field}>
      <TextArea
        label={fieldMessages.description}
        help={fieldHelpMessages.description}
        error={error}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      {shown.trim() !== "" && (
        <details className={styles.preview} open>
          <summary>{descriptionFieldMessages.preview}</summary>
          <div className={styles.text}>
            <Suspense fallback={<Skeleton height="4em" />}>
              <Markdown text={shown} />
            </Suspense>
          </div>
        </details>
      )}
    </div>
  );
}
