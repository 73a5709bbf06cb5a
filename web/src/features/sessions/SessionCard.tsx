import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { GuestLine } from "./GuestLine";
import { guestsMessages } from "./guests.messages";
import { LeftOut } from "./LeftOut";
import { undeleteEnd } from "./moments";
import { follow, openInNewTab } from "./openInNewTab";
import { sessionsKey, terminate, workLink } from "./queries";
import { checkedTarget } from "./redirectTarget";
import { sessionCardMessages as messages } from "./SessionCard.messages";
import styles from "./SessionCard.module.css";
import { SessionFacts } from "./SessionFacts";
import { type Pending, SessionLife } from "./SessionLife";
import { statusTones } from "./statuses";

interface SessionCardProps {
  session: Session;
  now: number;
  /** Its signal aborts when the list is left. */
  left: () => AbortSignal;
  onShare: () => void;
  onDelete: () => void;
}

/** One session: its state, what it runs and since when, the next step, and the actions. */
export function SessionCard({ session, now, left, onShare, onDelete }: SessionCardProps) {
  const { id, sessionName, status, engine } = session;
  const { sessions } = useConfig();
  const kind = sessions.kinds.find(({ name }) => name === engine);
  const editable = kind?.interfaces.includes("vscode");
  const queries = useQueryClient();
  const heading = useId();
  const card = useRef<HTMLElement>(null);
  const [confirming, setConfirming] = useState(false);
  const [restarting, setRestarting] = useState(false);

  const stop = useMutation({
    mutationFn: () => terminate(id, left()),
    onSuccess: (answer) => {
      queries.setQueryData<Session[]>(sessionsKey, (all) => all?.map((each) => (each.id === id ? answer : each)));
      if (answer.status === "TERMINATED") toast.success(messages.terminated);
    },
    onError: (error) => toast.error(messages.cannotTerminate, messageOf(error)),
    // A poll in flight returns the previous state.
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  // No mutation: that would open the tab a moment after the click, which blockers mind.
  const restart = () => {
    setRestarting(true);
    void openInNewTab({ do: "restart", sessionId: id }, queries).finally(() => setRestarting(false));
  };
  // The button goes away with the place in the queue.
  const cancel = () => {
    stop.mutate();
    card.current?.focus();
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
    <Card ref={card} tabIndex={-1} tone={statusTones[status]} aria-labelledby={heading}>
      <div className={styles.label}>
        <div className={styles.head}>
          <Badge tone={statusTones[status]}>{pending?.toUpperCase() ?? status}</Badge>
          {session.shares !== undefined && session.shares > 0 && (
            <Badge tone="grey" title={guestsMessages.sharedMeans(session.shares)}>
              {guestsMessages.shared(session.shares)}
            </Badge>
          )}
          <div className={styles.delete}>
            <Button variant="quiet" size="small" aria-label={messages.shareOne(sessionName)} onClick={onShare}>
              <Icon name="people" size={16} />
              {messages.share}
            </Button>
            <Button
              variant="quiet"
              size="small"
              aria-label={messages.delete(sessionName)}
              onClick={() => setConfirming(true)}
            >
              <Icon name="trash" size={16} />
            </Button>
          </div>
        </div>
        <div className={styles.what}>
          <h3 id={heading} className={styles.name} title={sessionName}>
            {sessionName}
          </h3>
          <SessionFacts session={session} now={now} />
          <LeftOut label={messages.notInstalled} leftOut={session.leftOut} />
        </div>
        <div className={styles.life}>
          <GuestLine session={session} now={now} />
          <SessionLife session={session} pending={pending} now={now} onCancel={cancel} />
        </div>
        <div className={styles.foot}>
          <Button
            className={styles.download}
            variant="quiet"
            size="small"
            busy={download.isPending}
            title={messages.downloadLacks}
            onClick={() => download.mutate()}
          >
            <Icon name="download" size={16} />
            <span className={styles.word}>{messages.download}</span>
          </Button>
          {kind?.can.includes("versions") && (
            <LinkButton variant="quiet" size="small" to={`/sessions/${encodeURIComponent(id)}/publish`}>
              <Icon name="upload" size={16} />
              {messages.publish}
              <span className="visually-hidden"> {messages.publishOne(sessionName)}</span>
            </LinkButton>
          )}
          <div className={styles.actions}>
            {/* One element in both states, so that whoever pressed it does not lose the focus when it has worked. */}
            <Button
              size="small"
              busy={terminated ? restarting : pending === "stopping"}
              onClick={terminated ? restart : () => stop.mutate()}
            >
              {terminated ? messages.restart : messages.terminate}
            </Button>
            {status === "RUNNING" && editable && (
              <LinkButton
                size="small"
                to={`/sessions/${encodeURIComponent(id)}/open?interface=vscode`}
                newTab
                aria-label={messages.openInEditor(sessionName)}
                onClick={() => void follow(id, "open", queries)}
              >
                {messages.editor}
              </LinkButton>
            )}
            {!terminated && (
              <LinkButton
                size="small"
                variant={status === "RUNNING" && !pending ? "primary" : "secondary"}
                to={`/sessions/${encodeURIComponent(id)}/open`}
                newTab
                onClick={() => void follow(id, "open", queries)}
              >
                {messages.open}
              </LinkButton>
            )}
          </div>
        </div>
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
          {session.versions ? messages.deleteKeeps(undeleteEnd(sessions.undelete)) : messages.deleteMeans}
        </ConfirmByName>
      )}
    </Card>
  );
}
