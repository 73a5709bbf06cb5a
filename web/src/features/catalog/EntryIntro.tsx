import type { Resource } from "@/api/types";
import { plainText } from "@/lib/plainText";
import { Cover } from "./Cover";
import styles from "./EntryIntro.module.css";

/** The picture of an entry, if it has one, beside the beginning of its description. */
export function EntryIntro({ entry }: { entry: Resource }) {
  const text = plainText(entry.description, 600);
  return (
    <div className={styles.intro}>
      {entry.coverKind !== "drawing" && <Cover resource={entry} className={styles.picture} />}
      {text !== "" && (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
    </div>
  );
}
