import { messageOf } from "@/api/problem";
import type { ConnectedHost } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { toast } from "@/ui/toast";
import { useRemoveConnection } from "./connectionCalls";
import { disconnectMessages as words } from "./DisconnectDialog.messages";

interface DisconnectDialogProps {
  host: ConnectedHost;
  /** Told whether the host has ended what was granted. */
  onRemoved: (revoked: boolean) => void;
  onClose: () => void;
}

/** Asks before an account is disconnected. */
export function DisconnectDialog({ host, onRemoved, onClose }: DisconnectDialogProps) {
  const { mutateAsync, isPending } = useRemoveConnection(host.host);
  const disconnect = async () => {
    try {
      const { revoked } = await mutateAsync();
      onClose();
      // The dialog gives the focus back when it closes, to a button that disappears.
      setTimeout(() => onRemoved(revoked));
    } catch (error) {
      toast.error(words.failed, messageOf(error));
      onClose();
    }
  };
  return (
    <Dialog
      title={words.title(host.label)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button variant="danger" busy={isPending} onClick={() => void disconnect()}>
            {words.disconnect}
          </Button>
        </>
      }
    >
      <p>{words.consequence}</p>
    </Dialog>
  );
}
