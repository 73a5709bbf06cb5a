import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { LogText } from "@/ui/LogText";
import { jobPageMessages as messages } from "./JobPage.messages";
import { logQuery } from "./queries";

/** The end of the log of a job's session, read when it's opened. */
export function JobLog({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...logQuery(id), enabled: open });
  return (
    <details className={runStyles.log} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.log}</summary>
      {data ? (
        <LogText label={messages.log}>{data}</LogText>
      ) : (
        <p role="status">
          {error ? messages.logFailed(messageOf(error)) : data === "" ? messages.logEmpty : messages.logLoading}
        </p>
      )}
    </details>
  );
}
