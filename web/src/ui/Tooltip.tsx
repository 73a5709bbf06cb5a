import { cloneElement, type ReactElement, useEffect, useId, useRef } from "react";
import { tooltipCloseDelay, tooltipOpenDelay } from "@/lib/constants";
import { placeBeside } from "./place";
import styles from "./Tooltip.module.css";

interface TooltipProps {
  text: string;
  /** One element that can be focused: the text becomes its description, shown or not. */
  children: ReactElement<{ "aria-describedby"?: string }>;
}

/**
 * Explains a control when the pointer rests on it, or at once when the keyboard reaches it. Escape hides it, and it
 * stays while the pointer is on it. A control that is off should be aria-disabled, not disabled, to stay reachable.
 */
export function Tooltip({ text, children }: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<number>(undefined);

  const show = () => {
    if (!anchor.current || !bubble.current) return;
    bubble.current.showPopover();
    placeBeside(bubble.current, anchor.current, "center");
  };
  const hide = () => bubble.current?.hidePopover();
  const after = (delay: number, action: () => void) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(action, delay);
  };
  useEffect(() => () => window.clearTimeout(timer.current), []);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches what happens to the control inside.
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={() => after(tooltipOpenDelay, show)}
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
