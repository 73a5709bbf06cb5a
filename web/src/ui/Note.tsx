import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import styles from "./Note.module.css";

interface NoteProps {
  kind: "info" | "error";
  /** How it is read out when it appears. */
  role?: "alert" | "status";
  title?: ReactNode;
  children?: ReactNode;
}

/** A few highlighted sentences, at the place they are about. */
export function Note({ kind, role, title, children }: NoteProps) {
  return (
    <div role={role} className={classes(styles.note, styles[kind])}>
      {title && <p className={styles.title}>{title}</p>}
      {children}
    </div>
  );
}
