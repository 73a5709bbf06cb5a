import type { ReactNode } from "react";
import { ago, day } from "@/lib/format";
import styles from "./ResourceFacts.module.css";

/** A name and what is known under it, for a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The day, and how long ago that was. */
export function When({ moment }: { moment: string }) {
  return (
    <>
      <time dateTime={moment}>{day(moment)}</time>
      <span className={styles.ago}>{ago(moment)}</span>
    </>
  );
}
