import { type Notebook as Compared, pictureOf } from "@/features/entry/runs/comparison";

type Text = string | string[];

/** What is read of an executed notebook of format 4, which is a stranger's: anything may be missing. */
export interface Executed extends Compared {
  cells: {
    cell_type?: string;
    source?: Text;
    execution_count?: number | null;
    outputs?: {
      output_type?: string;
      text?: Text;
      data?: Record<string, Text>;
      traceback?: string[];
      ename?: string;
      evalue?: string;
    }[];
  }[];
}

/** A part of what a cell has printed; `address` is for an <img>, where nothing runs. */
export type Shown =
  | { kind: "text" | "error"; text: string; cut: boolean }
  | { kind: "picture"; address: string }
  | { kind: "other" };

export interface ShownCell {
  /** Its place among all cells, from 0. */
  index: number;
  /** Among those with code, from 1; undefined for texts. */
  number?: number;
  kind: "code" | "markdown" | "raw";
  source: string;
  outputs: Shown[];
}

/** The most characters of an output that are shown. */
const longest = 20_000;

const pictures = ["image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"];

/** The colors and movements of terminals. */
const controls = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

const isText = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"));

const joined = (text: Text | undefined): string => (Array.isArray(text) ? text.join("") : String(text ?? ""));

/** The cells of a notebook as they are shown: their texts, and of their outputs what is safe. */
export function cellsOf(notebook: Executed): ShownCell[] {
  let codes = 0;
  return (Array.isArray(notebook.cells) ? notebook.cells : []).map((given, index) => {
    const cell = given ?? {};
    const kind = cell.cell_type === "code" || cell.cell_type === "markdown" ? cell.cell_type : "raw";
    if (kind === "code") codes += 1;
    const outputs = kind === "code" && Array.isArray(cell.outputs) ? cell.outputs : [];
    return {
      index,
      ...(kind === "code" && { number: codes }),
      kind,
      source: joined(cell.source),
      outputs: outputs.reduce<Shown[]>((shown, _, at) => added(shown, shownOutput(notebook, index, at)), []),
    };
  });
}

function shownOutput(notebook: Executed, cell: number, at: number): Shown {
  const output = notebook.cells[cell]?.outputs?.[at] ?? {};
  if (output.output_type === "stream") return textOf("text", joined(output.text));
  if (output.output_type === "error") {
    const lines = Array.isArray(output.traceback) ? output.traceback : [];
    return textOf("error", lines.length > 0 ? lines.join("\n") : `${output.ename ?? ""}: ${output.evalue ?? ""}`);
  }
  for (const mime of pictures) {
    if (!isText(output.data?.[mime])) continue;
    const address = pictureOf(notebook, cell, at, mime);
    if (address !== undefined) return { kind: "picture", address };
  }
  const plain = output.data?.["text/plain"] ?? output.data?.["text/markdown"] ?? output.data?.["text/latex"];
  return plain === undefined ? { kind: "other" } : textOf("text", joined(plain));
}

function textOf(kind: "text" | "error", text: string): Shown {
  const plain = written(text.replace(controls, ""));
  return { kind, text: plain.slice(0, longest), cut: plain.length > longest };
}

/** A text as a terminal leaves it: what follows a carriage return stands in the place of the line. */
const written = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1))
    .join("\n");

/** Texts that were printed one after the other are one. */
function added(shown: Shown[], next: Shown): Shown[] {
  const last = shown.at(-1);
  if (last?.kind !== "text" || next.kind !== "text") return [...shown, next];
  const text = last.text + (last.text.endsWith("\n") ? "" : "\n") + next.text;
  return [
    ...shown.slice(0, -1),
    { kind: "text", text: text.slice(0, longest), cut: last.cut || next.cut || text.length > longest },
  ];
}
