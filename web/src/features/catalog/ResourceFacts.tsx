import { type ReactNode, useState } from "react";
import type { Resource } from "@/api/types";
import { breakpoints } from "@/lib/constants";
import { count, day } from "@/lib/format";
import { Avatar } from "@/ui/Avatar";
import styles from "./ResourceFacts.module.css";

/** Who made an entry and when, how it is marked. Beside the text on a wide window, folded above it on a narrow one. */
export function ResourceFacts({ resource }: { resource: Resource }) {
  const { authors, createdAt, updatedAt, starCount, privacy, version } = resource;
  const [open, setOpen] = useState(() => window.innerWidth >= breakpoints.desktop);
  return (
    <aside aria-label="Facts">
      <details className={styles.facts} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>Facts</summary>
        <dl className={styles.list}>
          <Fact name={authors.length === 1 ? "Author" : "Authors"}>
            <ul className={styles.authors}>
              {authors.map((author) => (
                <li key={author}>
                  <Avatar of={author} size="small" />
                  <span>{author}</span>
                </li>
              ))}
            </ul>
          </Fact>
          {version && <Fact name="Version">{version}</Fact>}
          <Fact name="Added">
            <time dateTime={createdAt}>{day(createdAt)}</time>
          </Fact>
          <Fact name="Updated">
            <time dateTime={updatedAt}>{day(updatedAt)}</time>
          </Fact>
          <Fact name="Stars">{count(starCount, "star", "stars")}</Fact>
          <Fact name="Seen by">{privacy === "PRIVATE" ? "its authors only" : "everybody"}</Fact>
        </dl>
      </details>
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
