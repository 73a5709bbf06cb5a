import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import styles from "./Note.module.css";

interface NoteProps {
  kind: "info" | "error";
  /** How it is read out when it appears. */
  role?: "alert" | "status";
  children: ReactNode;
}

/** A few sentences that stand out from what is around them. */
export function Note({ kind, role, children }: NoteProps) {
  return (
    <div role={role} className={classes(styles.note, styles[kind])}>
      {children}
    </div>
  );
}
