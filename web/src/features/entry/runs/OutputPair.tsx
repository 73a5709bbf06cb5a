import type { ReactNode } from "react";
import { proportion } from "@/lib/measures";
import { Skeleton } from "@/ui/Loading";
import { LogText } from "@/ui/LogText";
import {
  type Difference,
  differsInFormat,
  type Notebook,
  type NumberedCell,
  pictureOf,
  type Side,
  sideBySide,
} from "./comparison";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

const sides = ["author", "run"] as const;

/** Something of each of two notebooks. */
export type Sides<Value> = Record<(typeof sides)[number], Value>;

interface OutputPairProps {
  cell: NumberedCell;
  difference: Difference;
  /** What the sides are called. */
  whose: Sides<string>;
  /** The notebooks that the outputs are in, once they are loaded. */
  notebooks: Sides<{ data: Notebook | undefined; isFetching: boolean }>;
}

/** An output of one notebook beside that of the other, or below each other on a narrow window. */
export function OutputPair({ cell, difference, whose, notebooks }: OutputPairProps) {
  const { lines, cut, mime, differingPixels: pixels } = difference;
  const texts = lines && sideBySide(lines);
  const { number } = cell;

  const shown = (side: (typeof sides)[number]): ReactNode => {
    if (difference[side] < 0) return <p className={styles.quiet}>{messages.absent}</p>;
    if (texts) return <Text label={messages.textOf(whose[side], number)} lines={texts[side]} changed={changes[side]} />;
    const { data, isFetching } = notebooks[side];
    if (isFetching) return <Skeleton height="12em" />;
    const picture = data && pictureOf(data, cell[side], difference[side], mime);
    if (!picture) return <p className={styles.quiet}>{messages.notShown}</p>;
    return <img src={picture} alt={messages.pictureOf(whose[side], number)} />;
  };

  return (
    <>
      {differsInFormat(difference) && (
        <p className={styles.quiet}>{mime.startsWith("image/") ? messages.otherSize : messages.otherFormat}</p>
      )}
      <div className={styles.pair}>
        {sides.map((side) => (
          <div key={side}>
            <h4>{whose[side]}</h4>
            {shown(side)}
          </div>
        ))}
      </div>
      {pixels !== undefined && <p className={styles.quiet}>{messages.pixels(proportion(pixels))}</p>}
      {cut && <p className={styles.quiet}>{messages.cut}</p>}
    </>
  );
}

const changes = { author: "del", run: "ins" } as const;

function Text({ label, lines, changed: Changed }: { label: string; lines: Side[]; changed: "del" | "ins" }) {
  return (
    <LogText label={label}>
      {lines.map(({ text, changed }, index) => {
        const Line = changed ? Changed : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
          <Line key={index} className={styles.line}>
            {text}
          </Line>
        );
      })}
    </LogText>
  );
}
