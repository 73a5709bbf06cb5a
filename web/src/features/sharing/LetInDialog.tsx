import { useState } from "react";
import type { ShareLevel, ShareRequest } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { LevelChoice } from "./LevelChoice";
import { requestMessages as messages } from "./requests.messages";

interface LetInDialogProps {
  request: ShareRequest;
  onLetIn: (can: ShareLevel) => void;
  onClose: () => void;
}

/** Asks what somebody may do who asks to be let in. */
export function LetInDialog({ request: { name, can: asked }, onLetIn, onClose }: LetInDialogProps) {
  const [can, setCan] = useState<ShareLevel>(asked);
  return (
    <Dialog
      title={messages.letInTitle(name)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button
            variant="primary"
            onClick={() => {
              onClose();
              onLetIn(can);
            }}
          >
            {messages.letIn}
          </Button>
        </>
      }
    >
      <LevelChoice legend={messages.theyCan} chosen={can} onChoose={setCan} />
      <p>{messages.untilItEnds}</p>
    </Dialog>
  );
}
