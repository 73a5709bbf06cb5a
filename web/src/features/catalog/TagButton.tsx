import { lazy, Suspense, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import styles from "./TagButton.module.css";
import { tagFilterMessages as messages } from "./TagFilter.messages";
import type { TagChoiceProps } from "./tagChoice";

const TagSheet = lazy(async () => ({ default: (await import("./TagSheet")).TagSheet }));

interface TagButtonProps extends TagChoiceProps {
  /** How many entries match. */
  total: number | undefined;
}

/** Opens the tag filter in a sheet, if there is no room beside the results. */
export function TagButton(props: TagButtonProps) {
  const [open, setOpen] = useState(false);
  const chosen = props.filters.tags;
  return (
    <>
      <Button className={styles.button} size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="tag" size={16} />
        {messages.title}
        {chosen.length > 0 && <span className={styles.number}>{chosen.length}</span>}
      </Button>
      {open && (
        <Suspense>
          <TagSheet {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
