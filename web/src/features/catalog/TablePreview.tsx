import type { DatasetTable, TableColumn } from "@/api/types";
import { count, fileSize } from "@/lib/format";
import { measured } from "@/lib/plot";
import { ColumnPlot } from "./ColumnPlot";
import styles from "./TablePreview.module.css";

/** The beginning of a table: a plot of its numbers, then its first rows. */
export function TablePreview({ table }: { table: DatasetTable }) {
  const { path, columns, rows } = table;
  if (columns.length === 0) return <p className={styles.note}>There are no rows in this file.</p>;
  return (
    <>
      <ColumnPlot table={table} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <section className={styles.scroll} aria-label={`First rows of ${path}`} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">Row</span>
              </th>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, places do not.
                <th key={index} scope="col" className={alignment(column)}>
                  <bdi>{column.name}</bdi>
                  <span className={styles.kind}>{described(column)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its number.
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                {columns.map((column, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                  <td key={place} className={alignment(column)}>
                    <div dir="auto">{row[place]}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className={styles.note}>{remarks(table).join(" ")}</p>
    </>
  );
}

function alignment({ kind }: TableColumn) {
  return kind === "NUMBER" ? styles.number : undefined;
}

const kinds: Record<TableColumn["kind"], string> = { NUMBER: "number", DATE: "date", TEXT: "text", EMPTY: "empty" };

function described({ kind, numbers }: TableColumn): string {
  return numbers ? `${measured(numbers.minimum)} to ${measured(numbers.maximum)}` : kinds[kind];
}

/** What one must know of a table to read it right, in sentences. */
function remarks({
  rows,
  rowsRead,
  complete,
  columns,
  moreColumns,
  uneven,
  header,
  encoding,
  size,
}: DatasetTable): string[] {
  const many = count(rowsRead, "row", "rows");
  const first = rows.length < rowsRead || !complete;
  return [
    first ? `The first ${rows.length} of ${complete ? "" : "more than "}${many}.` : `${many}.`,
    !complete && `Ranges and plots come from the first ${many} of ${fileSize(size)}.`,
    moreColumns > 0 && `${count(moreColumns, "more column is", "more columns are")} not shown.`,
    !header && columns.length > 0 && "The file does not name its columns.",
    uneven > 0 && `${count(uneven, "row has", "rows have")} fewer or more cells than others.`,
    encoding !== "UTF-8" && `The text is written in ${encoding}.`,
  ].filter((each) => typeof each === "string");
}
