import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { classes } from "@/lib/classes";
import { toastDuration } from "@/lib/constants";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import { showInRegion } from "./showInRegion";
import { toasterMessages as words } from "./Toaster.messages";
import styles from "./Toaster.module.css";
import { type Toast, toast, toastStore } from "./toast";
import { type Tone, toneClass } from "./tone";

const looks: Record<Toast["kind"], { icon: IconName; tone: Tone }> = {
  info: { icon: "info", tone: "blue" },
  success: { icon: "check", tone: "green" },
  error: { icon: "error", tone: "red" },
  loading: { icon: "info", tone: "grey" },
};

/**
 * Shows the toasts. Their timers pause while the pointer or the focus is on one of them, and then restart; Escape removes
 * the latest. Failures are announced assertively, others politely.
 */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const region = useRef<HTMLElement>(null);
  const newest = toasts.at(-1)?.id;
  const raisedFor = useRef(newest);
  const [shown, setShown] = useState<readonly Toast[]>([]);

  // The popover shown last is on top, so it is shown again for each toast to be above an open dialog.
  useEffect(() => {
    const covered = raisedFor.current !== newest && document.querySelector("dialog[open]") !== null;
    raisedFor.current = newest;
    return region.current ? showInRegion(region.current, covered, () => setShown(toasts)) : undefined;
  }, [toasts, newest]);

  useEffect(() => {
    // The focused toast may have been removed, which fires no event.
    if (shown.length === 0 || !region.current?.contains(document.activeElement)) setFocused(false);
  }, [shown]);

  useEffect(() => {
    const dismissLatest = (event: KeyboardEvent) => {
      // Other open layers handle Escape first.
      const open = document.querySelector("dialog[open], [popover=auto]:popover-open, [role=tooltip]:popover-open");
      if (event.key === "Escape" && !event.defaultPrevented && !open && newest !== undefined) toast.dismiss(newest);
    };
    document.addEventListener("keydown", dismissLatest);
    return () => document.removeEventListener("keydown", dismissLatest);
  }, [newest]);

  const items = (failures: boolean) =>
    shown
      .filter(({ kind }) => (kind === "error") === failures)
      .map((each) => <Item key={each.id} toast={each} held={pointed || focused} />);

  return (
    <section
      ref={region}
      popover="manual"
      className={styles.region}
      aria-label={words.region}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <div aria-live="polite" className={styles.list}>
        {items(false)}
      </div>
      {/* Each has the role alert: in another live region it would be announced twice. */}
      <div className={styles.list}>{items(true)}</div>
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
    <div className={classes(styles.toast, toneClass(looks[kind].tone))} role={kind === "error" ? "alert" : undefined}>
      <span className={styles.icon}>
        <Icon name={looks[kind].icon} />
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
