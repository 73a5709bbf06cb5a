import { type ReactNode, useId } from "react";
import styles from "@/features/projects/ProjectForm.module.css";

/** Fields of the form that belong together, below a heading. */
export function FormPart({ title, children }: { title: string; children: ReactNode }) {
  const heading = useId();
  return (
    <section className={styles.part} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}
