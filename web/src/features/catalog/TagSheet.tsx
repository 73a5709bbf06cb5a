import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TagList } from "./TagList";
import { tagSheetMessages as messages } from "./TagSheet.messages";
import type { TagChoiceProps } from "./tagChoice";

interface TagSheetProps extends TagChoiceProps {
  total: number | undefined;
  onClose: () => void;
}

/** The tags on a narrow window: a choice applies immediately, behind the sheet. */
export function TagSheet({ total, onClose, ...list }: TagSheetProps) {
  return (
    <Dialog
      title={messages.title}
      sheet
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {total === undefined ? messages.close : messages.show(total)}
        </Button>
      }
    >
      <TagList {...list} />
    </Dialog>
  );
}
