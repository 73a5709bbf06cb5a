import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import { type Tone, toneClass } from "@/ui/tone";
import styles from "./Chip.module.css";

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
