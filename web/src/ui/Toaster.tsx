import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { classes } from "@/lib/classes";
import { toastDuration } from "@/lib/constants";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import { toasterMessages as words } from "./messages";
import styles from "./Toaster.module.css";
import { type Toast, toast, toastStore } from "./toast";

const icons: Record<Toast["kind"], IconName> = { info: "info", success: "check", error: "error", loading: "info" };

/** Shows the toasts, once a page. They stay as long as the pointer or the focus is on one of them. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  const [held, setHeld] = useState(false);
  const region = useRef<HTMLElement>(null);
  const newest = toasts.at(-1)?.id;

  // Shown anew for each toast: the one that was shown last lies above an open dialog.
  useEffect(() => {
    if (newest === undefined) return;
    region.current?.hidePopover();
    region.current?.showPopover();
  }, [newest]);

  return (
    <section
      ref={region}
      popover="manual"
      className={styles.region}
      aria-label={words.region}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div aria-live="polite" className={styles.list}>
        {toasts.map((each) => (
          <Item key={each.id} toast={each} held={held} />
        ))}
      </div>
    </section>
  );
}

function Item({ toast: { id, kind, title, body, action }, held }: { toast: Toast; held: boolean }) {
  useEffect(() => {
    const duration = toastDuration[kind];
    if (held || !Number.isFinite(duration)) return;
    const timer = window.setTimeout(() => toast.dismiss(id), duration);
    return () => window.clearTimeout(timer);
  }, [id, kind, held]);

  return (
    <div className={classes(styles.toast, styles[kind])} role={kind === "error" ? "alert" : undefined}>
      <span className={styles.icon}>
        <Icon name={icons[kind]} />
      </span>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {body && <p>{body}</p>}
        {action?.href !== undefined && (
          <a href={action.href} target="_blank" rel="noopener noreferrer" onClick={() => toast.dismiss(id)}>
            {action.label}
          </a>
        )}
        {action?.onSelect && (
          <Button
            size="small"
            onClick={() => {
              toast.dismiss(id);
              action.onSelect?.();
            }}
          >
            {action.label}
          </Button>
        )}
      </div>
      <Button variant="quiet" size="small" aria-label={words.dismiss(title)} onClick={() => toast.dismiss(id)}>
        <Icon name="close" size={16} />
      </Button>
    </div>
  );
}
