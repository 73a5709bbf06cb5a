import { useState } from "react";
import { Choice } from "@/features/sessions/Choice";
import { day } from "@/lib/format";
import { ConfirmDialog } from "./ConfirmDialog";
import { endWorkshop, extendWorkshop } from "./queries";
import type { Workshop } from "./types";
import { useAct } from "./useAct";
import { workshopPageMessages as messages } from "./WorkshopPage.messages";

interface TimeDialogProps {
  workshop: Pick<Workshop, "id" | "workUntil">;
  onClose: () => void;
}

/** In the order in which they are offered, which an object with numbers as names wouldn't keep. */
const minutes = ["10", "15", "30", "60", "120"] as const;
const notices = ["2m", "10m", "0s"] as const;

/** Gives a workshop more time. */
export function MoreTimeDialog({ workshop: { id }, onClose }: TimeDialogProps) {
  const [chosen, setChosen] = useState<string>("15");
  const more = useAct(
    () => extendWorkshop(id, Number(chosen)),
    { done: messages.added, failed: messages.notAdded },
    onClose,
  );
  return (
    <ConfirmDialog
      title={messages.moreTitle}
      confirm={messages.add}
      busy={more.isPending}
      onConfirm={() => more.mutate()}
      onClose={onClose}
    >
      <Choice
        legend={messages.moreFor}
        options={minutes.map((name) => ({ name, label: messages.moreChoices[name] }))}
        chosen={chosen}
        onChoose={setChosen}
      />
      <p>{messages.moreMeans}</p>
    </ConfirmDialog>
  );
}

/** Ends a workshop, with a notice or at once. */
export function EndDialog({ workshop: { id, workUntil }, onClose }: TimeDialogProps) {
  const [chosen, setChosen] = useState<string>("2m");
  const end = useAct(() => endWorkshop(id, chosen), { done: messages.ended, failed: messages.notEnded }, onClose);
  return (
    <ConfirmDialog
      title={messages.endTitle}
      confirm={messages.end}
      danger
      busy={end.isPending}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      <Choice
        legend={messages.endWhen}
        options={notices.map((name) => ({ name, label: messages.endChoices[name] }))}
        chosen={chosen}
        onChoose={setChosen}
      />
      <p>{messages.endMeans(day(workUntil))}</p>
      {chosen === "0s" && <p role="status">{messages.endNow}</p>}
    </ConfirmDialog>
  );
}
