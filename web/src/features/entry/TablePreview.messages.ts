import { count } from "@/lib/format";

export const tablePreviewMessages = {
  none: "There are no rows in this file.",
  sheet: "Sheet",
  label: (path: string) => `First rows of ${path}`,
  row: "Row",
  unnamed: (place: number) => `Column ${place}`,
  kinds: { NUMBER: "number", DATE: "date", TEXT: "text", EMPTY: "empty" },
  range: (from: string, to: string) => `${from} to ${to}`,
  /** "int64, 1 to 150" */
  typed: (type: string, range: string) => `${type}, ${range}`,
  rows: (rows: number) => count(rows, "row", "rows"),
  all: (rows: string) => `${rows}.`,
  first: (shown: number, rows: string, complete: boolean) =>
    `The first ${shown} of ${complete ? "" : "more than "}${rows}.`,
  measuredFrom: (rows: string, size: string) => `Ranges and plots come from the first ${rows} of ${size}.`,
  moreColumns: (columns: number) => `${count(columns, "more column is", "more columns are")} not shown.`,
  noHeader: "The file has no column names.",
  uneven: (rows: number) => `${count(rows, "row has", "rows have")} more or fewer cells than the others.`,
  encoding: (encoding: string) => `Text encoding: ${encoding}.`,
} as const;
