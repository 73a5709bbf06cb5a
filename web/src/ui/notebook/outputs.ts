import { pictureAddress } from "@/lib/notebookPicture";

/** A text as notebooks store it. */
export type Text = string | string[];

/** What is read of an output of a notebook of format 4, which is a stranger's: anything may be missing. */
export interface Output {
  output_type?: string;
  text?: Text;
  data?: Record<string, Text>;
  traceback?: string[];
  ename?: string;
  evalue?: string;
  /** The server has left out a part of it. */
  cut?: boolean;
}

/** A part of what a cell has printed; `address` is for an <img>, where nothing runs. */
export type Shown =
  | { kind: "text" | "error"; text: string; cut: boolean }
  | { kind: "picture"; address: string }
  | { kind: "other" };

/** The most characters of an output that are shown. */
const longest = 20_000;

const pictures = ["image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"];

/** The colors and movements of terminals. */
const controls = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

const isText = (value: unknown): value is Text =>
  typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"));

export const joined = (text: Text | undefined): string => (Array.isArray(text) ? text.join("") : String(text ?? ""));

/** The outputs of a cell as they are shown: only what is safe. */
export function shownOutputs(outputs: readonly (Output | null)[]): Shown[] {
  return outputs.reduce<Shown[]>((shown, output) => added(shown, shownOutput(output ?? {})), []);
}

function shownOutput(output: Output): Shown {
  const cut = output.cut === true;
  if (output.output_type === "stream") return textOf("text", joined(output.text), cut);
  if (output.output_type === "error") {
    const lines = Array.isArray(output.traceback) ? output.traceback : [];
    const text = lines.length > 0 ? lines.join("\n") : `${output.ename ?? ""}: ${output.evalue ?? ""}`;
    return textOf("error", text, cut);
  }
  for (const mime of pictures) {
    const picture = output.data?.[mime];
    if (isText(picture)) return { kind: "picture", address: pictureAddress(mime, joined(picture)) };
  }
  const plain = output.data?.["text/plain"] ?? output.data?.["text/markdown"] ?? output.data?.["text/latex"];
  return plain === undefined ? { kind: "other" } : textOf("text", joined(plain), cut);
}

function textOf(kind: "text" | "error", text: string, cut: boolean): Shown {
  const plain = written(text.replace(controls, ""));
  return { kind, text: plain.slice(0, longest), cut: cut || plain.length > longest };
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
