import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import styles from "./Badge.module.css";
import { type Tone, toneClass } from "./tone";

interface BadgeProps {
  tone: Tone;
  /** Explains it to those who point at it. */
  title?: string;
  children: ReactNode;
}

/** A kind or a state as a small label: dark text on a tint, never color alone. */
export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span className={classes(styles.badge, toneClass(tone))} title={title}>
      {children}
    </span>
  );
}
