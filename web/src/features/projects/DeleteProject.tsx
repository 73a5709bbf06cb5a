import { ConfirmByName } from "@/ui/ConfirmByName";
import { deleteProjectMessages as messages } from "./DeleteProject.messages";

interface DeleteProjectProps {
  name: string;
  /** It has members. */
  shared?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for the name of a project before it is deleted. */
export function DeleteProject({ name, shared = false, onConfirm, onClose }: DeleteProjectProps) {
  const confirm = () => {
    onClose();
    onConfirm();
  };
  return (
    <ConfirmByName title={messages.title} name={name} onConfirm={confirm} onClose={onClose}>
      {messages.means} {shared && messages.members}
    </ConfirmByName>
  );
}
