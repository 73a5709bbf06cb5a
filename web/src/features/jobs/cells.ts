import { joined, type Output, type Shown, shownOutputs, type Text } from "@/ui/notebook/outputs";

/** What is read of an executed notebook of format 4, which is a stranger's: anything may be missing. */
export interface Executed {
  cells: {
    cell_type?: string;
    source?: Text;
    execution_count?: number | null;
    outputs?: Output[];
  }[];
}

export interface ShownCell {
  /** Its place among all cells, from 0. */
  index: number;
  /** Among those with code, from 1; undefined for texts. */
  number?: number;
  kind: "code" | "markdown" | "raw";
  source: string;
  outputs: Shown[];
}

/** The cells of a notebook as they are shown: their texts, and of their outputs what is safe. */
export function cellsOf(notebook: Executed): ShownCell[] {
  let codes = 0;
  return (Array.isArray(notebook.cells) ? notebook.cells : []).map((given, index) => {
    const cell = given ?? {};
    const kind = cell.cell_type === "code" || cell.cell_type === "markdown" ? cell.cell_type : "raw";
    if (kind === "code") codes += 1;
    return {
      index,
      ...(kind === "code" && { number: codes }),
      kind,
      source: joined(cell.source),
      outputs: kind === "code" && Array.isArray(cell.outputs) ? shownOutputs(cell.outputs) : [],
    };
  });
}
