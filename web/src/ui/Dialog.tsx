import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { Button } from "./Button";
import { dialogMessages as words } from "./Dialog.messages";
import styles from "./Dialog.module.css";
import { Icon } from "./Icon";

interface DialogProps {
  title: string;
  /** Called on Escape and by the close button; the owner then stops rendering the dialog. */
  onClose: () => void;
  children: ReactNode;
  /** The buttons, the main one last. */
  footer?: ReactNode;
  /** Opens at the bottom edge and focuses no field, whose keyboard would cover it on a phone. */
  sheet?: boolean;
  /** As wide as the page, for reading. */
  wide?: boolean;
}

/**
 * A modal dialog, open as long as it is rendered. The browser traps the focus, makes the rest of the page inert and
 * restores the focus at the end. The first field gets the focus instead of the close button, which the browser would
 * choose and where typing a space would close the dialog.
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
