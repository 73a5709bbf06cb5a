import { lazy, Suspense, useDeferredValue } from "react";
import type { Resource } from "@/api/types";
import { classes } from "@/lib/classes";
import { Card } from "@/ui/Card";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { ResourceCard } from "./ResourceCard";
import { resourceGridMessages } from "./ResourceGrid.messages";
import styles from "./ResourceGrid.module.css";

const ResourceRow = lazy(async () => ({ default: (await import("./ResourceRow")).ResourceRow }));

interface ResourceGridProps {
  resources: Resource[];
  /** The query of the catalog page that shows them. */
  from?: string | undefined;
  /** The tags that were filtered by. */
  chosen?: readonly string[];
  /** The entries are from the previous answer; the next one is loading. */
  stale?: boolean;
  /** One line each. */
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
          {compact ? (
            <Suspense fallback={<div className={styles.awaitedRow} />}>
              <ResourceRow resource={resource} from={from} />
            </Suspense>
          ) : (
            <ResourceCard resource={resource} from={from} chosen={chosen} />
          )}
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
          <Skeleton width="85%" height="20px" />
          <Skeleton width="60%" height="14px" />
        </Card>
      ))}
    </SkeletonPlace>
  );
}
