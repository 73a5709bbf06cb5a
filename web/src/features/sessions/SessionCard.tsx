import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { moment } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { sessionCardMessages as messages } from "./messages";
import { follow, openInNewTab } from "./openInNewTab";
import { sessionsKey, terminate, workLink } from "./queries";
import { checkedTarget } from "./redirectTarget";
import styles from "./SessionCard.module.css";
import { type Pending, SessionLife } from "./SessionLife";
import { statusTones } from "./statuses";

interface SessionCardProps {
  session: Session;
  now: number;
  onDelete: () => void;
}

/** One session: its state, what it runs and since when, what comes next, and what can be done with it. */
export function SessionCard({ session, now, onDelete }: SessionCardProps) {
  const { id, sessionName, status, project, createdAt } = session;
  const { sessions } = useConfig();
  const queries = useQueryClient();
  const heading = useId();
  const [confirming, setConfirming] = useState(false);
  const [restarting, setRestarting] = useState(false);

  const stop = useMutation({
    mutationFn: () => terminate(id),
    onSuccess: (answer) => {
      queries.setQueryData<Session[]>(sessionsKey, (all) => all?.map((each) => (each.id === id ? answer : each)));
      if (answer.status === "TERMINATED") toast.success(messages.terminated);
    },
    onError: (error) => toast.error(messages.cannotTerminate, messageOf(error)),
    // A poll that was on its way says what was before.
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  // No mutation: that would open the tab a moment after the click, which blockers mind.
  const restart = () => {
    setRestarting(true);
    void openInNewTab({ do: "restart", sessionId: id }, queries).finally(() => setRestarting(false));
  };
  const download = useMutation({
    mutationFn: async () => checkedTarget(await workLink(id), sessions.url),
    // The browser itself gets it, so that a big one goes to disk as it comes.
    onSuccess: (address) => location.assign(address),
    onError: (error) => toast.error(messages.cannotDownload, messageOf(error)),
  });

  const terminated = status === "TERMINATED";
  const asked = stop.isPending || session.requestedStatus === "TERMINATED";
  const pending: Pending = terminated ? (restarting ? "starting" : undefined) : asked ? "stopping" : undefined;

  return (
    <Card tone={statusTones[status]} aria-labelledby={heading}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Badge tone={statusTones[status]}>{pending ?? status}</Badge>
          <Button
            className={styles.delete}
            variant="quiet"
            size="small"
            aria-label={messages.delete(sessionName)}
            onClick={() => setConfirming(true)}
          >
            <Icon name="trash" size={16} />
          </Button>
        </div>
        <h3 id={heading} className={styles.name} title={sessionName}>
          {sessionName}
        </h3>
        <dl className={styles.facts}>
          <dt>{messages.project}</dt>
          <dd>{project.name}</dd>
          <dt>{messages.repository}</dt>
          <dd>{project.repositoryResource.name}</dd>
          <dt>{messages.datasets}</dt>
          <dd>{project.datasetResources.map(datasetName).join(", ") || messages.noDatasets}</dd>
          {sessions.kinds.length > 1 && (
            <>
              <dt>{messages.runsOn}</dt>
              <dd>{sessions.kinds.find(({ name }) => name === session.engine)?.label ?? session.engine}</dd>
            </>
          )}
          <dt>{messages.since}</dt>
          <dd>
            <time dateTime={createdAt}>{moment(createdAt)}</time>
          </dd>
        </dl>
        <div className={styles.life}>
          <SessionLife session={session} pending={pending} now={now} onCancel={() => stop.mutate()} />
        </div>
      </div>
      <div className={styles.foot}>
        <Button
          className={styles.download}
          variant="quiet"
          size="small"
          busy={download.isPending}
          onClick={() => download.mutate()}
        >
          <Icon name="download" size={16} /> {messages.download}
        </Button>
        {terminated ? (
          <Button size="small" variant="primary" busy={restarting} onClick={restart}>
            {messages.restart}
          </Button>
        ) : (
          <>
            <Button size="small" busy={pending === "stopping"} onClick={() => stop.mutate()}>
              {messages.terminate}
            </Button>
            <LinkButton
              size="small"
              variant="primary"
              to={`/sessions/${encodeURIComponent(id)}/open`}
              newTab
              onClick={() => void follow(id, "open", queries)}
            >
              {messages.open}
            </LinkButton>
          </>
        )}
      </div>
      {confirming && (
        <ConfirmByName
          title={messages.deleteTitle}
          name={sessionName}
          onConfirm={() => {
            setConfirming(false);
            onDelete();
          }}
          onClose={() => setConfirming(false)}
        >
          {messages.deleteMeans}
        </ConfirmByName>
      )}
    </Card>
  );
}

function datasetName({ name, skipped }: Session["project"]["datasetResources"][number]): string {
  return skipped ? messages.leftOut(name) : name;
}
