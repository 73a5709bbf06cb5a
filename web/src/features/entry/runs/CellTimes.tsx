import { useQuery } from "@tanstack/react-query";
import type { Run } from "@/api/types";
import { shortDuration } from "@/lib/measures";
import styles from "./CellTimes.module.css";
import type { ExecutedCell } from "./comparison";
import { comparisonQuery } from "./queries";
import { runsMessages as messages } from "./Runs.messages";

/** The time of each cell of a run that has ended, as a bar. */
export function CellTimes({ run }: { run: Run }) {
  const { executed = [] } = useQuery(comparisonQuery(run)).data ?? {};
  const longest = Math.max(0, ...executed.map(({ seconds }) => seconds));
  if (longest === 0) return null;
  const slowest = executed.findIndex(({ seconds }) => seconds === longest);
  const timed = executed.filter(({ seconds }) => seconds > 0).length;
  return (
    <figure className={styles.times}>
      <figcaption>
        {messages.times} {timed > 1 && messages.slowest(slowest + 1, shortDuration(longest))}
      </figcaption>
      {/* biome-ignore lint/a11y/noRedundantRoles: without marks, Safari takes a list for none. */}
      <ol role="list" className={styles.bars}>
        {executed.map((cell, index) => {
          const words = messages.cellTime(index + 1, cell.state, shortDuration(cell.seconds));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cells never change.
            <li key={index} title={words} data-state={cell.state}>
              <span className={styles.bar} style={{ height: `${heightOf(cell, longest)}%` }} />
              {executed.length <= labelled && (
                <span className={styles.number} aria-hidden="true">
                  {index + 1}
                </span>
              )}
              <span className="visually-hidden">{words}</span>
            </li>
          );
        })}
      </ol>
      {executed.length > labelled && (
        <p className={styles.ends} aria-hidden="true">
          <span>{messages.cellTitle(1)}</span>
          <span>{messages.cellTitle(executed.length)}</span>
        </p>
      )}
    </figure>
  );
}

/** How many bars have a number below them. */
const labelled = 16;

/** A cell that took next to no time has a line; one that never ran has none. */
const heightOf = ({ seconds }: ExecutedCell, longest: number): number =>
  seconds === 0 ? 0 : Math.max(2, Math.round((100 * seconds) / longest));
