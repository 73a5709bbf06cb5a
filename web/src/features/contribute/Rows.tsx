import type { ReactNode } from "react";
import { Button } from "@/ui/Button";
import { FormGroup } from "@/ui/form/Form";
import styles from "./Rows.module.css";

interface RowsProps<Row> {
  title: string;
  help?: string;
  /** What is wrong with the list as a whole. */
  error?: string | undefined;
  words: { row: (row: number) => string; add: string; remove: (row: number) => string };
  /** The name of the button that moves a row up; undefined for lists without an order. */
  up?: (row: string) => string;
  rows: Row[];
  empty: Row;
  onChange: (rows: Row[]) => void;
  children: (row: Row, change: (part: Partial<Row>) => void, index: number) => ReactNode;
}

/** A list of groups of fields: rows can be added, removed and, where the order matters, moved. */
export function Rows<Row>({ title, help, error, words, up, rows, empty, onChange, children }: RowsProps<Row>) {
  return (
    <FormGroup title={title}>
      {help && <p className={styles.help}>{help}</p>}
      {error && <p className={styles.error}>{error}</p>}
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and their fields keep no state.
        <fieldset key={index} className={styles.row}>
          <legend>{words.row(index + 1)}</legend>
          <div className={styles.fields}>
            {children(
              row,
              (part) => onChange(rows.map((each, at) => (at === index ? { ...each, ...part } : each))),
              index,
            )}
          </div>
          <div className={styles.actions}>
            {up && index > 0 && (
              <Button size="small" onClick={() => onChange(rows.toSpliced(index - 1, 2, row, rows[index - 1] as Row))}>
                {up(words.row(index + 1))}
              </Button>
            )}
            <Button size="small" onClick={() => onChange(rows.toSpliced(index, 1))}>
              {words.remove(index + 1)}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...rows, empty])}>{words.add}</Button>
      </div>
    </FormGroup>
  );
}
