import type { DatasetTable, TableColumn } from "@/api/types";
import { fileSize } from "@/lib/measures";
import { measured } from "@/lib/plot";
import { ColumnPlot } from "./ColumnPlot";
import { TableChoice } from "./TableChoice";
import { tablePreviewMessages as messages } from "./TablePreview.messages";
import styles from "./TablePreview.module.css";

interface TablePreviewProps {
  table: DatasetTable;
  /** The sheet of a spreadsheet that was chosen. */
  chosen: string | undefined;
  onChoose: (sheet: string) => void;
}

/** A preview of a table: a plot of its numbers, and its first rows. */
export function TablePreview({ table, chosen, onChoose }: TablePreviewProps) {
  const { sheet, sheets = [] } = table;
  return (
    <>
      {sheets.length > 1 && (
        <TableChoice
          label={messages.sheet}
          value={chosen ?? sheet}
          options={sheets.map((name) => ({ value: name, text: name }))}
          onChange={onChoose}
        />
      )}
      {table.columns.length === 0 ? (
        <p className={styles.note}>{messages.none}</p>
      ) : (
        <Content key={sheet} table={table} />
      )}
    </>
  );
}

function Content({ table }: { table: DatasetTable }) {
  const { path, columns, rows } = table;
  return (
    <>
      <ColumnPlot table={table} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <section className={styles.scroll} aria-label={messages.label(path)} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">{messages.row}</span>
              </th>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, places do not.
                <th key={index} scope="col" className={alignment(column)}>
                  {column.name ? (
                    <bdi>{column.name}</bdi>
                  ) : (
                    <span className="visually-hidden">{messages.unnamed(index + 1)}</span>
                  )}
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

function described({ kind, type, numbers }: TableColumn): string {
  if (!numbers) return type ?? messages.kinds[kind];
  const range = messages.range(measured(numbers.minimum), measured(numbers.maximum));
  return type ? messages.typed(type, range) : range;
}

/** What to know about a table to read it correctly, in sentences. */
function remarks({
  rows,
  rowsRead,
  totalRows,
  complete,
  columns,
  moreColumns,
  uneven,
  header,
  encoding,
  size,
}: DatasetTable): string[] {
  const many = messages.rows(rowsRead);
  const first = rows.length < rowsRead || !complete;
  return [
    totalRows !== undefined && totalRows > rows.length
      ? messages.first(rows.length, messages.rows(totalRows), true)
      : first
        ? messages.first(rows.length, many, complete)
        : messages.all(many),
    !complete && messages.measuredFrom(many, fileSize(size)),
    moreColumns > 0 && messages.moreColumns(moreColumns),
    !header && columns.length > 0 && messages.noHeader,
    uneven > 0 && messages.uneven(uneven),
    encoding !== undefined && encoding !== "UTF-8" && messages.encoding(encoding),
  ].filter((each) => typeof each === "string");
}
