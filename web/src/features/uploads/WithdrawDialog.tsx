import { useMutation, useQueryClient } from "@tanstack/react-query";
import { entryKeys } from "@/api/entries";
import { messageOf } from "@/api/problem";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { toast } from "@/ui/toast";
import { entryVersionsMessages as messages } from "./EntryVersions.messages";
import { withdrawVersion } from "./queries";

interface WithdrawDialogProps {
  id: string;
  version: number;
  onClose: () => void;
}

/** Asks why a version of an entry is withdrawn, and withdraws it. */
export function WithdrawDialog({ id, version, onClose }: WithdrawDialogProps) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (reason: string) => withdrawVersion(id, version, reason),
    onSuccess: () => {
      toast.success(messages.withdrawDone, messages.version(version));
      void client.invalidateQueries({ queryKey: entryKeys.all });
      onClose();
    },
  });
  return (
    <FieldDialog
      title={messages.withdrawOf(version)}
      intro={<p>{messages.withdrawMeans}</p>}
      label={messages.withdrawReason}
      help={messages.withdrawHelp}
      maxLength={1000}
      error={error ? messageOf(error) : undefined}
      submit={messages.withdrawIt}
      cancel={messages.cancel}
      danger
      busy={isPending}
      onSubmit={(reason) => mutate(reason)}
      onClose={onClose}
    />
  );
}
