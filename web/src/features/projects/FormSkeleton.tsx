import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import styles from "./FormSkeleton.module.css";

/** Placeholders for the fields of a project's form. */
export function FormSkeleton({ label }: { label: string }) {
  return (
    <SkeletonPlace label={label} className={styles.waiting}>
      <Skeleton width="8rem" />
      <Skeleton height="40px" />
      <Skeleton width="8rem" />
      <Skeleton height="8em" />
    </SkeletonPlace>
  );
}
