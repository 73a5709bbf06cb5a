import { useMutation } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { toast } from "@/ui/toast";
import { depositsMessages as messages } from "./deposits.messages";
import { discardDeposit } from "./queries";
import { Refusal } from "./Refusal";
import type { Deposit } from "./shapes";
import { useDepositList } from "./useDeposits";

interface DiscardDialogProps {
  resource: Resource;
  deposit: Deposit;
  archive: string;
  /** The viewer has begun it. */
  mine: boolean;
  onGone: () => void;
  onClose: () => void;
}

/** Asks before a deposit is discarded. */
export function DiscardDialog({ resource, deposit, archive, mine, onGone, onClose }: DiscardDialogProps) {
  const list = useDepositList(resource.id);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => discardDeposit(resource.id, deposit.id),
    onSuccess: () => {
      list.remove(deposit.id);
      toast.success(messages.discarded, messages.whichAt(deposit.version, archive));
      onClose();
      // What had the focus disappears.
      setTimeout(onGone);
    },
    onError: list.refresh,
  });
  return (
    <Dialog
      title={messages.discardTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button variant="danger" busy={isPending} onClick={() => mutate()}>
            {messages.discard}
          </Button>
        </>
      }
    >
      <div className="dep-text">
        <p>{mine ? messages.discardMeans(archive) : messages.discardOthers(archive)}</p>
        {error && <Refusal error={error} step="discard" archive={archive} resource={resource} />}
      </div>
    </Dialog>
  );
}
