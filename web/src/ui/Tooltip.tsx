import { cloneElement, type ReactElement, useEffect, useId, useRef } from "react";
import { tooltipCloseDelay, tooltipOpenDelay } from "@/lib/constants";
import { positionPopover } from "./positionPopover";
import styles from "./Tooltip.module.css";

interface TooltipProps {
  text: string;
  /** One focusable element. The text is its accessible description even while hidden. */
  children: ReactElement<{ "aria-describedby"?: string }>;
  /** At its right, where something below it has to stay in sight. */
  beside?: boolean;
}

/**
 * Explains a control when the pointer rests on it, or at once on keyboard focus or a tap. It stays while the pointer is on
 * it, or until the next tap elsewhere; Escape hides it. A disabled control should use aria-disabled to stay reachable.
 */
export function Tooltip({ text, children, beside = false }: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<number>(undefined);

  const show = () => {
    if (!anchor.current || !bubble.current) return;
    if (!bubble.current.matches(":popover-open")) bubble.current.showPopover();
    positionPopover(bubble.current, anchor.current, beside ? "beside" : "center");
  };
  const hide = () => bubble.current?.hidePopover();
  const after = (delay: number, action: () => void) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(action, delay);
  };
  useEffect(() => {
    // After a tap, no pointer leaves, and in some browsers no focus is lost.
    const tapElsewhere = ({ target }: PointerEvent) => {
      if (!anchor.current?.contains(target as Node)) bubble.current?.hidePopover();
    };
    document.addEventListener("pointerdown", tapElsewhere);
    return () => {
      document.removeEventListener("pointerdown", tapElsewhere);
      window.clearTimeout(timer.current);
    };
  }, []);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes events of the control inside.
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={() => after(tooltipOpenDelay, show)}
      onClick={() => after(0, show)}
      onPointerLeave={() => after(tooltipCloseDelay, hide)}
      onFocus={(event) => event.target.matches(":focus-visible") && after(0, show)}
      onBlur={() => after(0, hide)}
      onKeyDown={(event) => event.key === "Escape" && after(0, hide)}
    >
      {cloneElement(children, { "aria-describedby": id })}
      <span ref={bubble} id={id} role="tooltip" popover="manual" className={styles.bubble}>
        {text}
      </span>
    </span>
  );
}
