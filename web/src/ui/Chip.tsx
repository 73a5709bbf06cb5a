import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import styles from "./Chip.module.css";
import { type Tone, toneClass } from "./tone";

interface ChipProps {
  pressed: boolean;
  onToggle: () => void;
  tone?: Tone;
  children: ReactNode;
}

/** A filter that is on or off. */
export function Chip({ pressed, onToggle, tone = "grey", children }: ChipProps) {
  return (
    <button type="button" className={classes(styles.chip, toneClass(tone))} aria-pressed={pressed} onClick={onToggle}>
      {children}
    </button>
  );
}
