import type { CSSProperties } from "react";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { classes } from "@/lib/classes";
import { type Tone, toneClass } from "@/ui/tone";
import { boardMessages as messages } from "./BoardPage.messages";
import { type CellBar, tallest } from "./board";

/** The parts of a bar from below, each with a color and a pattern. */
const parts = [
  { name: "passed", tone: "green", look: "ws-passed" },
  { name: "here", tone: "blue", look: "ws-here" },
  { name: "failed", tone: "red", look: "ws-failed" },
] as const satisfies { name: keyof CellBar; tone: Tone; look: string }[];

interface CellBarsProps {
  bars: readonly CellBar[];
  /** Of a workshop that has ended: nobody is anywhere. */
  over?: boolean;
}

/** A bar for each code cell, and the same as a table. */
export function CellBars({ bars, over = false }: CellBarsProps) {
  if (bars.length === 0) return <p>{messages.cellsNone}</p>;
  const shown = parts.filter(({ name }) => !over || name !== "here");
  const words = { passed: over ? messages.done : messages.passed, here: messages.here, failed: messages.failedIn };
  const most = tallest(bars);
  const height = (count: number): CSSProperties => ({ height: `${(100 * count) / most}%` });
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: with many cells it's scrolled with the keyboard. */}
      <section className="ws-cells" aria-label={messages.chartRegion} tabIndex={0}>
        <p className="visually-hidden">{messages.chart(bars.length)}</p>
        {bars.map((bar) => (
          <div key={bar.number} className="ws-cell" aria-hidden="true" title={titleOf(bar, words, over)}>
            <span>{bar.failed > 0 ? messages.times(bar.failed) : messages.blank}</span>
            <div className="ws-column">
              {shown.map(
                ({ name, tone, look }) =>
                  bar[name] > 0 && (
                    <div key={name} className={classes(toneClass(tone), look)} style={height(bar[name])} />
                  ),
              )}
            </div>
            <span>{bar.number}</span>
          </div>
        ))}
      </section>
      <p className="ws-legend" aria-hidden="true">
        {shown.map(({ name, tone, look }) => (
          <span key={name}>
            <i className={classes(toneClass(tone), look)} />
            {words[name]}
          </span>
        ))}
      </p>
      <details className={runStyles.log}>
        <summary>{messages.cellsTable}</summary>
        <div className="ws-scroll">
          <table className="ws-table">
            <thead>
              <tr>
                <th scope="col">{messages.cell}</th>
                {shown.map(({ name }) => (
                  <th key={name} scope="col">
                    {words[name]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map((bar) => (
                <tr key={bar.number}>
                  <th scope="row">{bar.number}</th>
                  {shown.map(({ name }) => (
                    <td key={name}>{bar[name]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

type Words = Record<"passed" | "here" | "failed", string>;

/** For those who point at a bar. */
const titleOf = ({ number, passed, here, failed }: CellBar, words: Words, over: boolean): string =>
  [
    `${messages.cell} ${number}`,
    `${words.passed}: ${passed}`,
    !over && `${words.here}: ${here}`,
    `${words.failed}: ${failed}`,
  ]
    .filter(Boolean)
    .join(" · ");
