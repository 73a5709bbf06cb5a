import { useMutation } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { Button, LinkButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { useLocation } from "@/ui/router";
import { toast } from "@/ui/toast";
import { reportDialogMessages as messages } from "./ReportDialog.messages";

/** Asks what is wrong with an entry, and sends it to the operators. Visitors sign in first. */
export function ReportDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { state } = useAuth();
  const here = useLocation();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (reason: string) =>
      answer(api.POST("/api/v1/rf/resources/{id}/reports", { params: { path: { id } }, body: { reason } })),
    onSuccess: () => {
      toast.success(messages.done, messages.doneDetail);
      onClose();
    },
  });
  if (state !== "authenticated") {
    return (
      <Dialog
        title={messages.title}
        onClose={onClose}
        footer={
          <>
            <Button onClick={onClose}>{messages.cancel}</Button>
            <LinkButton variant="primary" to={loginPath(here)}>
              {messages.signIn}
            </LinkButton>
          </>
        }
      >
        <p>{messages.signedOut}</p>
      </Dialog>
    );
  }
  return (
    <FieldDialog
      title={messages.title}
      intro={<p>{messages.intro}</p>}
      label={messages.reason}
      help={messages.help}
      maxLength={1000}
      error={error ? messageOf(error) : undefined}
      submit={messages.send}
      cancel={messages.cancel}
      busy={isPending}
      onSubmit={(reason) => mutate(reason)}
      onClose={onClose}
    />
  );
}
