import type { ReactNode } from "react";
import styles from "@/features/projects/ProjectPage.module.css";

/** A name and what is known under it, in a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
