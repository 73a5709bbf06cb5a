import type { DiffLine } from "@/api/types";
import { LogText } from "@/ui/LogText";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

const elements = { same: "span", added: "ins", removed: "del" } as const;
const signs = { same: " ", added: "+", removed: "-" } as const;

interface DiffLinesProps {
  label: string;
  lines: Pick<DiffLine, "op" | "text">[];
  /** What lines are called that only one side has. */
  titles?: { added: string; removed: string };
}

/** Lines of two states of a file, by default of a version and of the present file; a sign before each says which has it, not the color alone. */
export function DiffLines({ label, lines, titles = messages }: DiffLinesProps) {
  return (
    <LogText label={label}>
      {lines.map(({ op, text }, index) => {
        const Line = elements[op];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
          <Line key={index} className={styles.line} title={op === "same" ? undefined : titles[op]}>
            <span aria-hidden="true" className={styles.sign}>
              {signs[op]}
            </span>
            {text}
          </Line>
        );
      })}
    </LogText>
  );
}
