import { Card } from "@/ui/Card";
import { cardsClass } from "@/ui/Cards";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import styles from "./SessionSkeletons.module.css";
import { sessionsMessages } from "./Sessions.messages";

/** The place of sessions that are still to come, in the shape of their cards. */
export function SessionSkeletons() {
  return (
    <SkeletonPlace label={sessionsMessages.loading} className={styles.late}>
      <div className={cardsClass} aria-hidden="true">
        {["first", "second", "third"].map((each) => (
          <Card key={each} tone="grey" className={styles.card}>
            <Skeleton width="84px" height="22px" />
            <Skeleton width="70%" height="20px" />
            {["90%", "60%", "75%", "50%"].map((width) => (
              <Skeleton key={width} width={width} height="14px" />
            ))}
            <span className={styles.foot}>
              <Skeleton width="120px" height="32px" />
              <Skeleton width="64px" height="32px" />
            </span>
          </Card>
        ))}
      </div>
    </SkeletonPlace>
  );
}
