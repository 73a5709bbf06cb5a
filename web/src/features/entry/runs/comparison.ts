import { pictureAddress } from "@/lib/notebookPicture";

/** What the server says about how the outputs of a run differ from those that the author stored. */
export interface Comparison {
  largestRelativeDifference: number;
  cells: ComparedCell[];
  /** The cells with code, in their order; reports of old runs lack them. */
  executed?: ExecutedCell[];
}

/** What became of a cell: it ran to its end, the run ended in it, it is tagged to be skipped, or the run ended before it. */
export interface ExecutedCell {
  state: "ran" | "failed" | "skipped" | "not-run";
  seconds: number;
}

export type OutputVerdict = "IDENTICAL" | "WITHIN_TOLERANCE" | "LOOKS_THE_SAME" | "VARIES" | "DIFFERENT";

export interface ComparedCell {
  /** Its place among all cells of the author's notebook, from 0. */
  author: number;
  /** And of the executed one; -1 if that has no such cell. */
  run: number;
  verdict: OutputVerdict | "NOT_RUN" | "NOTHING_TO_COMPARE";
  /** The name of an exception that the author neither stored nor allows. */
  failed?: string;
  notes?: string[];
  largestRelativeDifference?: number;
  differences?: Difference[];
}

export interface Difference {
  mime: string;
  /** Its place among the outputs of the author's cell; -1 if only the run has it. */
  author: number;
  /** Likewise; -1 if the run lacks it. */
  run: number;
  verdict: OutputVerdict;
  /** Codes of what else is known, such as FORMAT. */
  notes?: string[];
  largestRelativeDifference?: number;
  /** Of a picture, from 0 to 1. */
  differingPixels?: number;
  lines?: Line[];
  /** There are more lines. */
  cut?: boolean;
}

export interface Line {
  op: "same" | "added" | "removed";
  text: string;
}

/** Whether a cell or an output differs only in how the same values are written, or in the size of a picture. */
export const differsInFormat = ({ notes = [] }: Pick<Difference, "notes">): boolean => notes.includes("FORMAT");

/** What is read of notebooks. */
export interface Notebook {
  cells: {
    outputs?: {
      data?: Record<string, string | string[]>;
    }[];
  }[];
}

const order: ComparedCell["verdict"][] = ["DIFFERENT", "VARIES", "WITHIN_TOLERANCE", "LOOKS_THE_SAME"];

/** A cell with its number among those with code, from 1, by which logs and counts call it. */
export interface NumberedCell extends ComparedCell {
  number: number;
}

/** The cells with something to see, the worst first. The one that failed isn't among them: the log shows it. */
export function cellsToShow({ cells }: Comparison): NumberedCell[] {
  const rank = ({ verdict }: ComparedCell) => order.indexOf(verdict);
  return cells
    .map((cell, index) => ({ ...cell, number: index + 1 }))
    .filter((cell) => rank(cell) >= 0 && cell.failed === undefined)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** A line of one of two texts side by side; without a text, it only makes room for one of the other. */
export interface Side {
  text?: string;
  changed: boolean;
}

/** Two texts from their common lines, such that lines that stand for each other are beside each other. */
export function sideBySide(lines: readonly Line[]): { author: Side[]; run: Side[] } {
  const author: Side[] = [];
  const run: Side[] = [];
  const even = () => {
    while (author.length < run.length) author.push({ changed: false });
    while (run.length < author.length) run.push({ changed: false });
  };
  for (const { op, text } of lines) {
    if (op === "same") {
      even();
      author.push({ text, changed: false });
      run.push({ text, changed: false });
    } else (op === "removed" ? author : run).push({ text, changed: true });
  }
  even();
  return { author, run };
}

const joined = (text: string | string[] = ""): string => (Array.isArray(text) ? text.join("") : text);

/** A picture of a notebook as the address of an <img>; undefined if it isn't there. */
export function pictureOf(notebook: Notebook, cell: number, output: number, mime: string): string | undefined {
  const data = notebook.cells[cell]?.outputs?.[output]?.data?.[mime];
  return data === undefined ? undefined : pictureAddress(mime, joined(data));
}

/** The number of the line of a log at which it begins to tell of the cell that failed, from 0; -1 if it tells of none. */
export function cellIn(lines: readonly string[]): number {
  return lines.findLastIndex((line) => /^The (code cell|run ended) /.test(line));
}

/** The number of the line of a log at which it says what went wrong, from 0; -1 if it doesn't. */
export function causeIn(lines: readonly string[]): number {
  const ended = lines.findLastIndex((line) => line.startsWith("The run ended "));
  if (ended >= 0) return Math.min(ended + 1, lines.length - 1);
  const exception = lines.findLastIndex((line) => /^\s*[\w.]*(Error|Exception)\b/.test(line));
  return exception >= 0 ? exception : lines.findLastIndex((line) => /\b(error|failed|fatal|killed)\b/i.test(line));
}
