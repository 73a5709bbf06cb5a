import { useState } from "react";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useNavigate } from "@/ui/router";
import { ConfirmDialog } from "./ConfirmDialog";
import { DownloadReport } from "./DownloadReport";
import { workshopPath } from "./paths";
import { deleteWorkshop, openWorkshop, renewCode } from "./queries";
import { EndDialog, MoreTimeDialog } from "./TimeDialogs";
import type { Workshop } from "./types";
import { useAct } from "./useAct";
import { workshopPageMessages as messages } from "./WorkshopPage.messages";

type Asking = "code" | "more" | "end" | "delete";

/** What can be done with a workshop in its state. */
export function WorkshopActions({ workshop }: { workshop: Workshop }) {
  const { id, state } = workshop;
  const navigate = useNavigate();
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const open = useAct(() => openWorkshop(id), { done: messages.opened, failed: messages.notOpened });
  const renew = useAct(() => renewCode(id), { done: messages.codeMade, failed: messages.codeNotMade }, close);
  const remove = useAct(
    () => deleteWorkshop(id),
    { done: messages.deleted, failed: messages.notDeleted },
    () => navigate("/workshops", { replace: true }),
  );
  const ahead = state === "PLANNED" || state === "WARMING";
  const goesOn = state === "OPEN";
  const ended = state === "ENDED";
  return (
    <>
      {ahead && (
        <Button variant="primary" busy={open.isPending} onClick={() => open.mutate()}>
          <Icon name="play" />
          {messages.open}
        </Button>
      )}
      {!ended && (
        <LinkButton to={workshopPath(id, "screen")} variant={goesOn ? "primary" : "secondary"}>
          {messages.screen}
        </LinkButton>
      )}
      {ended && (
        <LinkButton to={workshopPath(id, "report")} variant="primary">
          {messages.report}
        </LinkButton>
      )}
      {ended && <DownloadReport id={id} />}
      {!ended && <LinkButton to={workshopPath(id, "board")}>{messages.board}</LinkButton>}
      {!ended && (
        <LinkButton to={workshopPath(id, "edit")}>
          <Icon name="edit" />
          {messages.edit}
        </LinkButton>
      )}
      {!ended && <Button onClick={() => setAsking("code")}>{messages.newCode}</Button>}
      {goesOn && <Button onClick={() => setAsking("more")}>{messages.more}</Button>}
      {goesOn && <Button onClick={() => setAsking("end")}>{messages.end}</Button>}
      {!goesOn && (
        <Button variant="quiet" onClick={() => setAsking("delete")}>
          <Icon name="trash" />
          {messages.delete}
        </Button>
      )}
      {asking === "code" && (
        <ConfirmDialog
          title={messages.newCodeTitle}
          confirm={messages.makeCode}
          busy={renew.isPending}
          onConfirm={() => renew.mutate()}
          onClose={close}
        >
          <p>{messages.newCodeMeans}</p>
        </ConfirmDialog>
      )}
      {asking === "delete" && (
        <ConfirmDialog
          title={messages.deleteTitle}
          confirm={messages.delete}
          danger
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{messages.deleteMeans}</p>
        </ConfirmDialog>
      )}
      {asking === "more" && <MoreTimeDialog workshop={workshop} onClose={close} />}
      {asking === "end" && <EndDialog workshop={workshop} onClose={close} />}
    </>
  );
}
