import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Run } from "@/api/types";
import { FileButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { LogText } from "@/ui/LogText";
import { causeIn, cellIn } from "./comparison";
import { artifactAddress, logQuery } from "./queries";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

/** The log of a run, folded unless the run didn't get to its end; it begins at the cause. */
export function RunLog({ run }: { run: Run }) {
  const [open, setOpen] = useState(run.verdict === "FAILED" || run.verdict === "NEEDS");
  const { data, error } = useQuery({ ...logQuery(run), enabled: open });
  return (
    <details className={styles.log} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.log}</summary>
      {data === undefined ? (
        <p role="status">{error ? messages.logFailed(messageOf(error)) : messages.logLoading}</p>
      ) : (
        <>
          <LogText label={messages.log}>
            <Marked text={data} />
          </LogText>
          <div className={styles.bar}>
            <FileButton to={artifactAddress(run, "log")}>
              <Icon name="download" />
              {messages.downloadLog}
            </FileButton>
          </div>
        </>
      )}
    </details>
  );
}

/** A text with the line that says what went wrong marked. */
function Marked({ text }: { text: string }) {
  const lines = text.split("\n");
  const cause = causeIn(lines);
  if (cause < 0) return text;
  const cell = cellIn(lines);
  const begin = cell < 0 || cell > cause ? 0 : cell;
  return (
    <>
      {lines.slice(0, begin).map((line) => `${line}\n`)}
      {begin > 0 && <span data-begin="" />}
      {lines.slice(begin, cause).map((line) => `${line}\n`)}
      <mark>{lines[cause]}</mark>
      {lines.slice(cause + 1).map((line) => `\n${line}`)}
    </>
  );
}
