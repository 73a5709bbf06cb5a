import type { ReactNode } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { membersMessages as messages } from "./members.messages";

interface QuestionProps {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** Names the action. */
  confirm: string;
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something happens. */
export function Question({ title, children, confirm, danger = false, onConfirm, onClose }: QuestionProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button
            variant={danger ? "danger" : "primary"}
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
