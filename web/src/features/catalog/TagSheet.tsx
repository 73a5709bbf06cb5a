import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { type TagCount, TagList } from "./TagList";
import { tagSheetMessages as messages } from "./TagSheet.messages";

interface TagSheetProps {
  chosen: string[];
  tags: TagCount[] | null | undefined;
  total: number | undefined;
  onToggle: (tag: string) => void;
  onClose: () => void;
}

/** The tags on a narrow window: a choice applies immediately, behind the sheet. */
export function TagSheet({ chosen, tags, total, onToggle, onClose }: TagSheetProps) {
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
      <TagList chosen={chosen} tags={tags} onToggle={onToggle} />
    </Dialog>
  );
}
