import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { LogPart } from "@/api/types";
import { Button } from "@/ui/Button";
import { LogText } from "@/ui/LogText";
import { logQuery } from "./queries";
import { sessionLogMessages as messages } from "./SessionLog.messages";
import styles from "./SessionLog.module.css";

interface SessionLogProps {
  id: string;
  sessionName: string;
}

/** The log of a launch that failed, folded: it is read when somebody wants to see it. */
export function SessionLog({ id, sessionName }: SessionLogProps) {
  const [open, setOpen] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({ ...logQuery(id), enabled: open });
  return (
    <details className={styles.log} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.title}</summary>
      {data?.length ? (
        <LogText label={messages.label(sessionName)}>
          {data.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the log of an ended launch stays as it is.
            <Part key={index} part={part} />
          ))}
        </LogText>
      ) : (
        <p role="status">{error ? messages.failed(messageOf(error)) : data ? messages.empty : messages.loading}</p>
      )}
      {error && (
        <Button size="small" busy={isFetching} onClick={() => void refetch()}>
          {messages.retry}
        </Button>
      )}
    </details>
  );
}

/** Lines that are shown alike: the cause of the failure, or what says nothing about it. */
function Part({ part: { kind, text, size } }: { part: LogPart }) {
  if (kind === "marked") return <mark>{text}</mark>;
  if (kind === "plain") return text;
  return (
    <details>
      <summary>{messages.more(size)}</summary>
      {text}
    </details>
  );
}
