import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { openInNewTab } from "./openInNewTab";
import { sessionsKey, setStatus } from "./queries";
import styles from "./SessionCard.module.css";
import { statusTones } from "./statuses";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

interface SessionCardProps {
  session: Session;
  onDelete: () => void;
}

/** One session: its state, what it runs and since when, and what can be done with it. */
export function SessionCard({ session, onDelete }: SessionCardProps) {
  const { id, sessionName, status, project, createdAt, statusReason } = session;
  const queries = useQueryClient();
  const heading = useId();
  const [confirming, setConfirming] = useState(false);

  const terminate = useMutation({
    mutationFn: () => setStatus(id, "TERMINATED"),
    onSuccess: (answer) => {
      queries.setQueryData<Session[]>(sessionsKey, (all) => all?.map((each) => (each.id === id ? answer : each)));
      // An engine that takes its time answers that it is stopping; the card says so until it has.
      if (answer.status === "TERMINATED") toast.success("Session terminated");
    },
    onError: (error) => toast.error("Error terminating session", messageOf(error)),
    // A poll that was on its way says what was before.
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  const stopping = terminate.isPending || (session.requestedStatus === "TERMINATED" && status !== "TERMINATED");

  return (
    <Card tone={statusTones[status]} aria-labelledby={heading}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Badge tone={statusTones[status]}>{stopping ? "stopping" : status}</Badge>
          <Button
            className={styles.delete}
            variant="quiet"
            size="small"
            aria-label={`Delete session ${sessionName}`}
            onClick={() => setConfirming(true)}
          >
            <Icon name="trash" size={16} />
          </Button>
        </div>
        <h3 id={heading}>{sessionName}</h3>
        <dl className={styles.facts}>
          <dt>Project</dt>
          <dd>{project.name}</dd>
          <dt>Repository</dt>
          <dd>{project.repositoryResource.name}</dd>
          <dt>Datasets</dt>
          <dd>{project.datasetResources.map(({ name }) => name).join(", ") || "none"}</dd>
          <dt>Since</dt>
          <dd>
            <time dateTime={createdAt}>{moment.format(new Date(createdAt))}</time>
          </dd>
        </dl>
        {status === "ERROR" && statusReason && <p className={styles.reason}>{statusReason}</p>}
      </div>
      <div className={styles.foot}>
        {status === "TERMINATED" ? (
          <Button
            size="small"
            variant="primary"
            onClick={() => openInNewTab({ do: "restart", sessionId: id }, queries)}
          >
            Restart
          </Button>
        ) : (
          <>
            <Button size="small" busy={stopping} onClick={() => terminate.mutate()}>
              Terminate
            </Button>
            <LinkButton size="small" variant="primary" to={`/sessions/${encodeURIComponent(id)}/open`} newTab>
              Open
            </LinkButton>
          </>
        )}
      </div>
      {confirming && (
        <ConfirmByName
          title="Delete session"
          name={sessionName}
          onConfirm={() => {
            setConfirming(false);
            onDelete();
          }}
          onClose={() => setConfirming(false)}
        >
          It is stopped, and the files in its work folder are gone for good.
        </ConfirmByName>
      )}
    </Card>
  );
}
