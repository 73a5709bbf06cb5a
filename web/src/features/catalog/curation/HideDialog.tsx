import { messageOf } from "@/api/problem";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { useCurate } from "./curate";
import { curateMessages as messages } from "./curate.messages";

/** Asks an operator for the reason to hide an entry; the usual one is there already. */
export function HideDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { mutate, isPending, error } = useCurate(id);
  return (
    <FieldDialog
      title={messages.hideTitle}
      intro={
        <p>
          <strong>{name}</strong>. {messages.hideMeaning}
        </p>
      }
      label={messages.reason}
      help={messages.reasonHelp}
      initial={messages.usualReason}
      maxLength={1000}
      error={error ? messageOf(error) : undefined}
      submit={messages.hide}
      cancel={messages.cancel}
      danger
      busy={isPending}
      onSubmit={(reason) => mutate({ hidden: true, reason }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
