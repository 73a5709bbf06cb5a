import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Session, Version } from "@/api/types";
import { moment } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Note } from "@/ui/Note";
import { toast } from "@/ui/toast";
import { sessionsKey } from "../queries";
import { nameOf } from "./place";
import { restoreVersion, type Wish } from "./queries";
import { versionsMessages as messages } from "./Versions.messages";

interface RestoreDialogProps {
  session: Session;
  version: Version;
  /** In the work folder; "" for everything. */
  path: string;
  onClose: () => void;
}

/** Asks whether what is restored goes beside the present state or in its place. Neither loses anything. */
export function RestoreDialog({ session, version, path, onClose }: RestoreDialogProps) {
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: (into: Wish["into"]) => restoreVersion(session.id, { version: version.id, path, into }),
    onSuccess: async (written) => {
      toast.success(messages.restored, written === "" ? undefined : messages.restoredAs(written));
      onClose();
      await queries.invalidateQueries({ queryKey: [...sessionsKey, session.id] });
    },
  });
  const busy = (into: Wish["into"]) => restore.isPending && restore.variables === into;
  return (
    <Dialog
      title={messages.restoreTitle(path === "" ? messages.everything : nameOf(path))}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button busy={busy("place")} onClick={() => restore.mutate("place")}>
            {messages.place}
          </Button>
          <Button variant="primary" busy={busy("beside")} onClick={() => restore.mutate("beside")}>
            {messages.beside}
          </Button>
        </>
      }
    >
      <p>{messages.restoreMeans(moment(version.at))}</p>
      <p>{messages.besideMeans}</p>
      <p>{messages.placeMeans}</p>
      {restore.error && (
        <Note kind="error" role="alert" title={messages.notRestored}>
          {messageOf(restore.error)}
        </Note>
      )}
    </Dialog>
  );
}
