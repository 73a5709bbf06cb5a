import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { Button } from "./Button";
import { dialogMessages as words } from "./Dialog.messages";
import styles from "./Dialog.module.css";
import { Icon } from "./Icon";

interface DialogProps {
  title: string;
  /** Asked for by Escape and by the close button; the owner then stops rendering the dialog. */
  onClose: () => void;
  children: ReactNode;
  /** The buttons, the main one last. */
  footer?: ReactNode;
  /** It opens at the bottom edge, for a phone, where a focused field would bring up the keyboard over it. */
  sheet?: boolean;
  /** As wide as the page, for something to read. */
  wide?: boolean;
}

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside, makes the rest of the page inert
 * and restores the focus at the end. The first field gets the focus, not the close button, which the browser would
 * choose: a space typed there closed the dialog.
 */
export function Dialog({ title, onClose, children, footer, sheet = false, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();

  // A layout effect, because its cleanup runs while the dialog is still in the document: only then does the browser
  // restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    if (!sheet) element?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    return () => element?.close();
  }, [sheet]);

  return (
    <dialog
      ref={dialog}
      className={classes(styles.dialog, sheet && styles.sheet, wide && styles.wide)}
      aria-labelledby={heading}
      onCancel={(event) => {
        // Events of a file input or an inner dialog bubble here too.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header className={styles.header}>
        <h2 id={heading}>{title}</h2>
        <Button variant="quiet" size="small" aria-label={words.close} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </dialog>
  );
}
