import { lazy, type ReactNode } from "react";
import formStyles from "@/ui/form/Form.module.css";
import rows from "@/ui/ListRow.module.css";
import { LogText } from "@/ui/LogText";
import markdownStyles from "@/ui/Markdown.module.css";
import { notebookCellMessages as messages } from "./NotebookCell.messages";
import type { Shown } from "./outputs";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

/** What is said where an output isn't shown, or not whole. */
export interface OutputWords {
  notShown: string;
  cut: string;
}

interface NotebookCellProps {
  /** Its place among all cells, from 0. */
  index: number;
  /** Among those with code, from 1; undefined for texts. */
  number: number | undefined;
  source: string;
  outputs: readonly Shown[];
  words: OutputWords;
  /** Beside the heading of code. */
  state?: ReactNode;
  kind: string;
}

/** A cell of a notebook with what it printed, as texts and pictures: nothing in it is run here. It suspends at first. */
export function NotebookCell({ index, number = 0, kind, source, outputs, words, state }: NotebookCellProps) {
  if (kind !== "code") return source.trim() === "" ? null : <Markdown text={source} />;
  return (
    <div id={`cell-${index}`} className={formStyles.group}>
      <div className={rows.line}>
        <h3>{messages.codeOf(number)}</h3>
        {state}
      </div>
      {source !== "" && (
        <div className={markdownStyles.text}>
          <pre>
            <code>{source}</code>
          </pre>
        </div>
      )}
      {outputs.map((output, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs stay in their places.
        <Output key={at} output={output} number={number} words={words} />
      ))}
    </div>
  );
}

function Output({ output, number, words }: { output: Shown; number: number; words: OutputWords }) {
  switch (output.kind) {
    case "picture":
      return <img src={output.address} alt={messages.pictureOf(number)} />;
    case "other":
      return <p className={rows.note}>{words.notShown}</p>;
    case "error":
      return (
        <LogText label={messages.errorIn(number)}>
          {output.text.slice(0, lastLine(output.text))}
          <mark>{output.text.slice(lastLine(output.text))}</mark>
        </LogText>
      );
    default:
      return (
        <div>
          <LogText label={messages.outputOf(number)}>{output.text}</LogText>
          {output.cut && <p className={rows.note}>{words.cut}</p>}
        </div>
      );
  }
}

/** Where the last line of a traceback begins, which names the exception. */
const lastLine = (text: string): number => text.trimEnd().lastIndexOf("\n") + 1;
