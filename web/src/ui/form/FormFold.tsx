import { type ReactNode, useState } from "react";
import { classes } from "@/lib/classes";
import fold from "@/ui/Fold.module.css";
import { Icon } from "@/ui/Icon";
import styles from "./FormFold.module.css";

interface FormFoldProps {
  title: string;
  /** What is inside, in a few words. */
  note?: string;
  /** It opens when this becomes true, and stays as its visitor leaves it afterwards. */
  open: boolean;
  children: ReactNode;
}

/** Fields of a form that belong together, which can be folded away. A form opens it when one of them is refused. */
export function FormFold({ title, note, open, children }: FormFoldProps) {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return (
    <details className={fold.fold} open={opened}>
      <summary className={classes(fold.summary, styles.summary)}>
        <Icon name="chevronDown" />
        <h2>{title}</h2>
        {note && <span className={styles.note}>{note}</span>}
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}
