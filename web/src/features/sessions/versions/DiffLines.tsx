import type { DiffLine } from "@/api/types";
import { LogText } from "@/ui/LogText";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

/** Lines of a version and of the present file; a sign before each says which has it, not the color alone. */
export function DiffLines({ label, lines }: { label: string; lines: DiffLine[] }) {
  return (
    <LogText label={label}>
      {lines.map(({ op, text }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
        if (op === "same") return <span key={index} className={styles.line}>{`  ${text}\n`}</span>;
        const Line = op === "added" ? "ins" : "del";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: likewise.
          <Line key={index} className={styles.line} title={messages[op]}>
            {`${op === "added" ? "+" : "-"} ${text}\n`}
          </Line>
        );
      })}
    </LogText>
  );
}
