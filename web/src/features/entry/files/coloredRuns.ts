import type { components } from "@/api/schema";

export type Highlight = components["schemas"]["Highlight"];

interface Run {
  /** Where the run begins in the text. */
  start: number;
  text: string;
  kind: Highlight["kind"];
}

/** A text in runs of one color each; what is behind the last highlight is a run without one. */
export function coloredRuns(text: string, highlights: readonly Highlight[]): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (const { length, kind } of [...highlights, { length: text.length, kind: undefined }]) {
    const part = text.slice(start, start + length);
    if (part !== "") runs.push({ start, text: part, kind });
    start += length;
  }
  return runs;
}
