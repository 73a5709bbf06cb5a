import { count } from "@/lib/format";

export const columnPlotMessages = {
  column: "Column",
  line: "Line",
  distribution: "Distribution",
  distributionOf: (name: string, values: string) => `Distribution of ${name}. ${values}`,
  lineOf: (name: string, order: string | undefined, values: string) =>
    `${name} against ${order ?? "the row number"}. ${values}`,
  row: "row",
  rows: (rows: number, complete: boolean) => `${complete ? "" : "the first "}${count(rows, "row", "rows")}`,
  values: (numbers: number, rows: string, smallest: string, largest: string, mean: string) =>
    `${count(numbers, "value", "values")} from ${rows}: min ${smallest}, max ${largest}, mean ${mean}.`,
  noNumber: (rows: number) => ` ${count(rows, "row has", "rows have")} no number.`,
  count: "rows",
  point: (across: string, x: string, up: string, y: string) => `${across} ${x}: ${up} ${y}`,
  allAlike: (value: string) => `All values are ${value}.`,
} as const;
