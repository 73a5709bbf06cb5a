import { useId } from "react";
import type { Run } from "@/api/types";
import { classes } from "@/lib/classes";
import { moment } from "@/lib/format";
import { Icon } from "@/ui/Icon";
import { toneClass } from "@/ui/tone";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";
import { looksOf, timeOf, wordsOf } from "./runLooks";

interface RunHistoryProps {
  /** The newest first. */
  runs: Run[];
  shown: Run;
  onShow: (id: string) => void;
}

/** The runs as a strip of signs, the newest at the end. Arrow keys choose the one that is shown. */
export function RunHistory({ runs, shown, onShow }: RunHistoryProps) {
  const name = useId();
  return (
    <fieldset className={classes(styles.bar, styles.history)}>
      <legend>{messages.history}</legend>
      {runs.toReversed().map((run) => {
        const { tone, icon } = looksOf(run);
        const label = messages.inHistory(wordsOf(run), moment(timeOf(run)));
        return (
          <label key={run.id} className={classes(styles.mark, toneClass(tone))} title={label}>
            <input
              type="radio"
              className="visually-hidden"
              name={name}
              checked={run.id === shown.id}
              onChange={() => onShow(run.id)}
            />
            <Icon name={icon} size={16} />
            <span className="visually-hidden">{label}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
