import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { ownRunMessages as messages } from "./OwnRun.messages";
import { sessionsKey, terminate } from "./queries";
import styles from "./RunButton.module.css";
import { useUnmountSignal } from "./useUnmountSignal";

/** As many as fit beside an entry. */
const shown = 5;

/** The sessions of which one has to stop before another can start. */
export function StopOne({ sessions }: { sessions: Session[] }) {
  const queries = useQueryClient();
  const left = useUnmountSignal();
  const stop = useMutation({
    mutationFn: ({ id }: Session) => terminate(id, left()),
    onSuccess: () => toast.success(messages.stopped),
    onError: (error) => toast.error(messages.stopFailed, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  const others = sessions.length - shown;
  return (
    <div className={styles.why}>
      <p>{messages.stopOne}</p>
      <ul className={`${styles.run} ${styles.stop}`}>
        {sessions.slice(0, shown).map((session) => (
          <li key={session.id}>
            <span className={styles.name} title={session.sessionName}>
              <bdi>{session.sessionName}</bdi>
            </span>
            <Button
              size="small"
              aria-label={messages.terminateOne(session.sessionName)}
              busy={stop.isPending && stop.variables.id === session.id}
              onClick={() => stop.mutate(session)}
            >
              {messages.terminate}
            </Button>
          </li>
        ))}
        {others > 0 && <li>{messages.others(others)}</li>}
      </ul>
    </div>
  );
}
