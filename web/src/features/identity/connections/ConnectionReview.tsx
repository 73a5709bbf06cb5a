import { useEffect, useId, useRef } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { ConnectedHost, Connection } from "@/api/types";
import { classes } from "@/lib/classes";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { toneClass } from "@/ui/tone";
import { connectionReviewMessages as words } from "./ConnectionReview.messages";
import { useKeepConnection, useRemoveConnection } from "./connectionCalls";
import { isArchive, mayChange, rightWords } from "./rights";

interface ConnectionReviewProps {
  host: ConnectedHost;
  waiting: Connection;
  onKept: () => void;
  /** It isn't kept, and the earlier one stays. */
  onDismiss: () => void;
  /** Told whether the host has ended what was granted. */
  onRemoved: (revoked: boolean) => void;
}

/** What was really granted, before it is kept: hosts grant more than they are asked for, and tokens can do anything. */
export function ConnectionReview({ host, waiting, onKept, onDismiss, onRemoved }: ConnectionReviewProps) {
  const { label, kind, connection } = host;
  const { account, granted, scopes } = waiting;
  const { product } = useConfig();
  const heading = useId();
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const keep = useKeepConnection(host.host);
  const remove = useRemoveConnection(host.host);
  const tooMuch = mayChange(granted) && !isArchive(kind);
  const doKeep = () =>
    keep.mutate(undefined, {
      onSuccess: () => {
        toast.success(words.kept, label);
        onKept();
      },
      onError: (error) => toast.error(words.notKept, messageOf(error)),
    });
  // Removing would take the earlier one, too.
  const refuse = () =>
    connection
      ? onDismiss()
      : remove.mutate(undefined, {
          onSuccess: ({ revoked }) => onRemoved(revoked),
          onError: (error) => toast.error(words.notRemoved, messageOf(error)),
        });
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-labelledby={heading}
      className={classes("cx-review", toneClass(tooMuch ? "amber" : "blue"))}
    >
      <h3 id={heading} className="cx-title">
        {words.title(label)}
      </h3>
      <dl className="cx-facts">
        <div>
          <dt>{words.account}</dt>
          <dd>{account === "" ? words.nobody(label) : <strong>{account}</strong>}</dd>
        </div>
        <div>
          <dt>{words.rights(product)}</dt>
          <dd className="cx-said">
            <ul className="cx-rights">
              {rightWords(granted, kind).map((right) => (
                <li key={right}>{right}</li>
              ))}
            </ul>
            {scopes.length > 0 && <p className="cx-note">{words.scopes(label, scopes)}</p>}
          </dd>
        </div>
      </dl>
      {tooMuch && (
        <div className="cx-warning">
          <strong>{words.tooMuch}</strong>
          <p>{words.onlyReads(product)}</p>
        </div>
      )}
      <div className="cx-actions">
        <Button
          size="small"
          variant={tooMuch ? "secondary" : "primary"}
          aria-label={words.keepOne(label)}
          busy={keep.isPending}
          onClick={doKeep}
        >
          {words.keep}
        </Button>
        <Button size="small" aria-label={words.refuseOne(label)} busy={remove.isPending} onClick={refuse}>
          {words.refuse}
        </Button>
      </div>
      <p className="cx-note">{connection ? `${words.forgotten} ${words.replaces}` : words.forgotten}</p>
    </section>
  );
}
