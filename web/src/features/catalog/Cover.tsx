import type { Resource } from "@/api/types";
import { classes } from "@/lib/classes";
import styles from "./Cover.module.css";

interface CoverProps {
  resource: Resource;
  className?: string | undefined;
}

/** The picture of an entry. Its name follows, so it has no text. If it can't be loaded, its place stays empty. */
export function Cover({ resource: { coverUrl, headerImageUrl }, className }: CoverProps) {
  return coverUrl ? (
    <div className={classes(styles.place, className)}>
      <img
        key={coverUrl}
        // Header images fill their place; plots and figures are shown whole.
        className={headerImageUrl ? styles.fill : styles.whole}
        src={coverUrl}
        alt=""
        width={400}
        height={200}
        loading="lazy"
        onError={({ currentTarget }) => {
          currentTarget.hidden = true;
        }}
      />
    </div>
  ) : null;
}
