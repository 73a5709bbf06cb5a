import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { Button } from "@/ui/Button";
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
      {data ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too.
        <section className={styles.text} tabIndex={0} aria-label={messages.label(sessionName)}>
          <pre>{data}</pre>
        </section>
      ) : (
        <p role="status">
          {error ? messages.failed(messageOf(error)) : data === "" ? messages.empty : messages.loading}
        </p>
      )}
      {error && (
        <Button size="small" busy={isFetching} onClick={() => void refetch()}>
          {messages.retry}
        </Button>
      )}
    </details>
  );
}
