import type { ReactNode } from "react";
import styles from "./LogText.module.css";

interface LogTextProps {
  /** What it is a log of. */
  label: string;
  /** Its text, with the cause of a failure in a <mark>. */
  children: ReactNode;
}

/** A log that scrolls in itself. It begins at an element with data-begin, or else shows what is marked. */
export function LogText({ label, children }: LogTextProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too.
    <section ref={showCause} className={styles.text} tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}

function showCause(log: HTMLElement | null) {
  const begin = log?.querySelector<HTMLElement>("[data-begin]");
  const mark = log?.querySelector("mark");
  if (log && begin) log.scrollTop = begin.offsetTop - log.offsetTop;
  else if (log && mark) log.scrollTop = mark.offsetTop - log.offsetTop - log.clientHeight / 3;
}
