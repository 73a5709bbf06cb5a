import { classes } from "@/lib/classes";
import { Card } from "./Card";
import styles from "./CardSkeletons.module.css";
import { Skeleton, SkeletonPlace } from "./Loading";

interface CardSkeletonsProps {
  /** What is loading. */
  label: string;
  /** The class of the cards' grid. */
  className: string | undefined;
}

/** The skeletons of loading cards. They appear late, so that quick loads don't flash. */
export function CardSkeletons({ label, className }: CardSkeletonsProps) {
  return (
    <SkeletonPlace label={label} className={classes(className, styles.late)}>
      {["first", "second", "third"].map((each) => (
        <Card key={each} tone="grey" className={styles.card} aria-hidden="true">
          <Skeleton width="88px" height="22px" />
          <Skeleton width="75%" height="20px" />
          <Skeleton height="14px" />
          <Skeleton width="60%" height="14px" />
          <Skeleton width="40%" height="32px" />
        </Card>
      ))}
    </SkeletonPlace>
  );
}
