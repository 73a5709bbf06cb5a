import type { DiffCell, DiffLine } from "@/api/types";
import { CopyButton } from "@/ui/CopyButton";
import { DiffLines } from "./DiffLines";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

interface DiffCellsProps {
  cells: readonly DiffCell[];
  /** The text that a cell had before can be copied. */
  copied?: boolean;
  /** What lines are called that only one side has. */
  titles?: { added: string; removed: string };
}

/** The cells that differ in two states of a notebook. */
export function DiffCells({ cells, copied = false, titles }: DiffCellsProps) {
  return (
    <ol className={styles.cells}>
      {cells.map((cell, index) => {
        if (cell.op === "same") return null;
        const title = `${messages.cell(index + 1)} · ${messages.cellOps[cell.op]}`;
        return (
          <li key={cell.id || index}>
            <div className={styles.cell}>
              <h4>{title}</h4>
              {copied && cell.before !== "" && (
                <CopyButton size="small" text={cell.before} label={messages.copyCell(index + 1)}>
                  {messages.copyThisCell}
                </CopyButton>
              )}
            </div>
            {cell.uncompared ? (
              <p className={styles.quiet}>{messages.uncompared}</p>
            ) : (
              <DiffLines label={title} lines={linesOf(cell)} {...(titles && { titles })} />
            )}
            {cell.outputs === "changed" && <p className={styles.quiet}>{messages.otherOutputs}</p>}
          </li>
        );
      })}
    </ol>
  );
}

/** The text of a cell that only one side has, or how the two texts differ. */
function linesOf({ op, before, after, lines }: DiffCell): DiffLine[] {
  if (op === "added") return after.split("\n").map((text) => ({ op, text }));
  if (op === "removed") return before.split("\n").map((text) => ({ op, text }));
  return lines ?? [];
}
