import { useDeferredValue } from "react";
import type { Resource } from "@/api/types";
import { classes } from "@/lib/classes";
import { Card } from "@/ui/Card";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { ResourceCard } from "./ResourceCard";
import { resourceGridMessages } from "./ResourceGrid.messages";
import styles from "./ResourceGrid.module.css";

interface ResourceGridProps {
  resources: Resource[];
  /** The query of the catalog page that shows them. */
  from?: string | undefined;
  /** The tags that were filtered by. */
  chosen?: readonly string[];
  /** The entries are from the previous answer; the next one is loading. */
  stale?: boolean;
  /** One below the other, without covers. */
  compact?: boolean;
}

/** The number of cards rendered at first: more than any window shows. */
const firstCards = 24;

/** Entries as cards in up to three columns. Cards further down render after the first ones. */
export function ResourceGrid({ resources, from, chosen, stale = false, compact = false }: ResourceGridProps) {
  const ready = useDeferredValue(resources.length, firstCards);
  return (
    <ul className={classes(styles.grid, compact && styles.compact)} aria-busy={stale}>
      {resources.slice(0, ready).map((resource) => (
        <li key={resource.id}>
          <ResourceCard resource={resource} from={from} chosen={chosen} compact={compact} />
        </li>
      ))}
    </ul>
  );
}

/** Placeholders for cards that are loading. */
export function ResourceGridSkeleton({ count = 6, compact = false }: { count?: number; compact?: boolean }) {
  return (
    <SkeletonPlace
      label={resourceGridMessages.loading}
      className={classes(styles.grid, compact && styles.compact, count > 3 && styles.awaited)}
    >
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <Card key={index} tone="grey" className={styles.skeleton} aria-hidden="true">
          {!compact && <div className={styles.cover} />}
          <Skeleton width="88px" height="22px" />
          <Skeleton width="85%" height="20px" />
          <Skeleton width="100%" height="14px" />
          <Skeleton width="60%" height="14px" />
          <span className={styles.foot}>
            <Skeleton width="45%" height="14px" />
          </span>
        </Card>
      ))}
    </SkeletonPlace>
  );
}
