import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import styles from "./Alert.module.css";

interface AlertProps {
  /** One sentence: what is wrong, or what to know. */
  title: ReactNode;
  /** Something failed: it is said at once. Else it is for the eyes, in its place. */
  failed?: boolean;
  /** Why, and how to go on. */
  children?: ReactNode;
}

/** A notice in the place that it is about. */
export function Alert({ title, failed = false, children }: AlertProps) {
  return (
    <div className={classes(styles.alert, failed ? styles.failed : styles.note)} role={failed ? "alert" : undefined}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}
