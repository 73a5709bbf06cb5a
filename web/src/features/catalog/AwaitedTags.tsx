import { Skeleton } from "@/ui/Loading";
import styles from "./TagList.module.css";

/** The place of tags that aren't known yet. */
export function AwaitedTags() {
  return (
    <div className={styles.awaited}>
      {["60%", "75%", "50%", "65%"].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
