import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { CurateActions } from "@/features/catalog/curation/CurateActions";
import { StatusBadge } from "@/features/catalog/curation/StatusBadge";
import { Alert } from "@/ui/Alert";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { toast } from "@/ui/toast";
import { entryNoticesMessages as messages } from "./EntryNotices.messages";
import styles from "./EntryNotices.module.css";
import { EntryVersionNote } from "./EntryVersionNote";

interface EntryNoticesProps {
  resource: Resource;
  /** What authors of a private one are offered. */
  children: ReactNode;
}

/** Which version of an entry it is, what operators decided about it, with the reason for those who see a hidden one, and what they can decide. */
export function EntryNotices({ resource, children }: EntryNoticesProps) {
  const { hidden, hiddenReason = "", status, canCurate, namedBy, entryVersion, privacy } = resource;
  return (
    <div className={styles.notices}>
      {entryVersion && <EntryVersionNote resource={resource} version={entryVersion} />}
      {hidden ? (
        <Alert title={messages.hidden}>
          <p>{messages.reason(hiddenReason)}</p>
          <p>{messages.meaning}</p>
        </Alert>
      ) : (
        status !== "NONE" && (
          <p className={styles.line}>
            <StatusBadge resource={resource} explained />
          </p>
        )
      )}
      {privacy === "PRIVATE" && children}
      {namedBy && <NamedBy resource={resource} by={namedBy} />}
      {canCurate && (
        <div className={styles.line}>
          <CurateActions entry={resource} size="small" />
        </div>
      )}
    </div>
  );
}

/** Says who named the reader as an author, and lets them leave. */
function NamedBy({ resource: { id, name }, by }: { resource: Resource; by: string }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => answer(api.DELETE("/api/v1/rf/resources/{id}/authors/me", { params: { path: { id } } })),
    onSuccess: () => {
      toast.success(messages.left, name);
      void client.invalidateQueries({ queryKey: entryKeys.all });
    },
    onError: (error) => toast.error(messages.notLeft, messageOf(error)),
    onSettled: () => setAsking(false),
  });
  return (
    <div className={styles.line}>
      {messages.namedBy(by)}
      <Button size="small" onClick={() => setAsking(true)}>
        {messages.leave}
      </Button>
      {asking && (
        <Dialog
          title={messages.leaveTitle}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{messages.cancel}</Button>
              <Button variant="danger" busy={isPending} onClick={() => mutate()}>
                {messages.leave}
              </Button>
            </>
          }
        >
          <p>{messages.leaveMeaning}</p>
        </Dialog>
      )}
    </div>
  );
}
