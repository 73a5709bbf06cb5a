import { useMutation } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { keptVersion } from "@/lib/keptFiles";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Note } from "@/ui/Note";
import { TextLink } from "@/ui/TextLink";
import { depositsMessages as messages } from "./deposits.messages";
import { publishDeposit } from "./queries";
import { Refusal } from "./Refusal";
import type { Deposit } from "./shapes";
import { focusDeposit, useDepositList } from "./useDeposits";

interface PublishDialogProps {
  resource: Resource;
  deposit: Deposit;
  archive: string;
  onClose: () => void;
}

/** Says what publishing a draft at an archive means, and publishes it. */
export function PublishDialog({ resource, deposit, archive, onClose }: PublishDialogProps) {
  const list = useDepositList(resource.id);
  const { doi, url, version } = deposit;
  const { files, bytes } = deposit.progress;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => publishDeposit(resource.id, deposit.id),
    onSuccess: (now) => {
      list.put(now);
      onClose();
      focusDeposit(now);
    },
    onError: list.refresh,
  });
  const isKept = keptVersion(resource) !== undefined;
  const size = messages.size(files, fileSize(bytes));
  return (
    <Dialog
      title={messages.publishTitle(archive)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button variant="primary" busy={isPending} onClick={() => mutate()}>
            {messages.publishIt}
          </Button>
        </>
      }
    >
      <div className="dep-text">
        <p>
          <strong>{messages.publishForGood(archive)}</strong>
        </p>
        <p>{messages.publishes(version, isKept, resource.lastRun !== undefined, size)}</p>
        {!isKept && <p>{messages.filesStay}</p>}
        {resource.privacy === "PRIVATE" ? (
          <Note kind="info">{messages.publishPrivate(archive)}</Note>
        ) : (
          <p>{messages.publishPublic}</p>
        )}
        {doi && <p>{messages.publishDoi(doi)}</p>}
        {url && (
          <p>
            <TextLink href={url}>{messages.draft(archive)}</TextLink>
          </p>
        )}
        {error && <Refusal error={error} step="publish" archive={archive} resource={resource} />}
      </div>
    </Dialog>
  );
}
