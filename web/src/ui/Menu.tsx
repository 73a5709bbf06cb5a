import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { classes } from "@/lib/classes";
import { Icon, type IconName } from "./Icon";
import styles from "./Menu.module.css";
import { positionPopover } from "./positionPopover";

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** A short text at its end, such as a count. */
  note?: string | undefined;
  danger?: boolean;
  onSelect: () => void;
}

interface MenuProps {
  /** The name of the button. */
  label: string;
  /** What the button shows. */
  children: ReactNode;
  items: MenuItem[];
  /** Shown above the items, such as the user's name. */
  header?: ReactNode;
  className?: string;
}

/**
 * A button that opens a list of actions. The browser's popover closes it on Escape or a click elsewhere and restores the
 * focus; arrow keys, Home, End and first letters move in it.
 */
export function Menu({ label, children, items, header, className }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const entries = () => [...(popover.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];

  const move = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const letter = event.key.length === 1 ? event.key.toLowerCase() : undefined;
    const targets: Record<string, HTMLElement | undefined> = {
      ArrowDown: all[(at + 1) % all.length],
      ArrowUp: all.at(at - 1),
      Home: all[0],
      End: all.at(-1),
    };
    const startsSo = (each: HTMLElement) =>
      each.textContent
        .trim()
        .toLowerCase()
        .startsWith(letter ?? "");
    const target = targets[event.key] ?? (letter && [...all.slice(at + 1), ...all].find(startsSo));
    if (event.key === "Tab") popover.current?.hidePopover();
    if (!target || event.key === " ") return;
    event.preventDefault();
    target.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes(styles.button, className)}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={id}
        popoverTarget={id}
      >
        {children}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className={styles.popover}
        // The browser shows it before it can be placed: unseen until then, so that it does not jump. Its content is made
        // only now: a page of a hundred cards has a hundred menus.
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState !== "open") return;
          currentTarget.style.opacity = "0";
          setOpen(true);
        }}
        onToggle={(event) => {
          const opened = event.newState === "open";
          if (!opened) setOpen(false);
          if (!opened || !popover.current || !button.current) return;
          positionPopover(popover.current, button.current, "end");
          popover.current.style.opacity = "";
          entries()[0]?.focus();
        }}
      >
        {open && header && <div className={styles.header}>{header}</div>}
        <div role="menu" aria-label={label} tabIndex={-1} onKeyDown={move}>
          {(open ? items : []).map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={classes(styles.item, item.danger && styles.danger)}
              onClick={() => {
                popover.current?.hidePopover();
                item.onSelect();
              }}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
              {item.note && <span className={styles.note}>{item.note}</span>}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}
