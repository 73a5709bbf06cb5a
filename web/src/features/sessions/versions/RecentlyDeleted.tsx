import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { day } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { toast } from "@/ui/toast";
import { sessionsKey } from "../queries";
import { deletedQuery, deleteNow, undelete } from "./queries";
import { recentlyDeletedMessages as messages } from "./RecentlyDeleted.messages";
import styles from "./RecentlyDeleted.module.css";

interface RecentlyDeletedProps {
  onUndelete: (id: string) => void;
}

/** Deleted sessions that can still be brought back; nothing if there are none. */
export function RecentlyDeleted({ onUndelete }: RecentlyDeletedProps) {
  const { data } = useQuery(deletedQuery);
  if (!data || data.length === 0) return null;
  return (
    <details className={styles.deleted}>
      <summary>{messages.title(data.length)}</summary>
      <p className={styles.quiet}>{messages.means}</p>
      <ul>
        {data.map((session) => (
          <Row key={session.id} session={session} onUndelete={() => onUndelete(session.id)} />
        ))}
      </ul>
    </details>
  );
}

interface RowProps {
  session: Session;
  onUndelete: () => void;
}

function Row({ session: { id, sessionName, keptUntil, versions }, onUndelete }: RowProps) {
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: sessionsKey });
  const back = useMutation({
    mutationFn: () => undelete(id),
    onSuccess: () => {
      onUndelete();
      toast.success(messages.undeleted);
    },
    onError: (error) => toast.error(messages.notUndeleted, messageOf(error)),
    onSettled: refresh,
  });
  const end = useMutation({
    mutationFn: () => deleteNow(id),
    onSuccess: () => toast.success(messages.deleted),
    onError: (error) => toast.error(messages.notDeleted, messageOf(error)),
    onSettled: refresh,
  });
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <b>
          <bdi>{sessionName}</bdi>
        </b>
        <span className={styles.quiet}>
          {[keptUntil && messages.until(day(keptUntil)), versions && messages.versions(versions)]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <div className={styles.actions}>
        <Button
          size="small"
          busy={back.isPending}
          aria-label={messages.undeleteOne(sessionName)}
          onClick={() => back.mutate()}
        >
          {messages.undelete}
        </Button>
        <LinkButton size="small" to={`/sessions/${encodeURIComponent(id)}/versions`}>
          {messages.see}
          <span className="visually-hidden">{messages.seeOf(sessionName)}</span>
        </LinkButton>
        <Button
          size="small"
          variant="quiet"
          busy={end.isPending}
          aria-label={messages.deleteOne(sessionName)}
          onClick={() => setConfirming(true)}
        >
          {messages.deleteNow}
        </Button>
      </div>
      {confirming && (
        <ConfirmByName
          title={messages.deleteTitle}
          name={sessionName}
          confirmLabel={messages.deleteNow}
          onConfirm={() => {
            setConfirming(false);
            end.mutate();
          }}
          onClose={() => setConfirming(false)}
        >
          {messages.deleteMeans}
        </ConfirmByName>
      )}
    </li>
  );
}
