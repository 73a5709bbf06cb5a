import { lazy, Suspense, useDeferredValue } from "react";
import { TextArea } from "@/ui/Field";
import { Skeleton } from "@/ui/Loading";
import styles from "./DescriptionField.module.css";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

interface DescriptionFieldProps {
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

/** A text in Markdown, and below it how it will look. */
export function DescriptionField({ text, error, onChange }: DescriptionFieldProps) {
  const shown = useDeferredValue(text);
  return (
    <div className={styles.field}>
      <TextArea
        label="Description"
        help="Markdown: **bold**, lists, tables, links. Up to 20,000 characters."
        error={error}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      {shown.trim() !== "" && (
        <details className={styles.preview} open>
          <summary>Preview</summary>
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
