import { lazy, Suspense, useState } from "react";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { RunBadge } from "@/features/catalog/RunBadge";
import { runBadgeMessages } from "@/features/catalog/RunBadge.messages";
import { notTried } from "@/features/catalog/runWords";
import { Badge } from "@/ui/Badge";
import { Icon } from "@/ui/Icon";
import styles from "./EntryRun.module.css";

const RunMeaning = lazy(async () => ({ default: (await import("./RunMeaning")).RunMeaning }));

/** The badge of an entry's last run as a button, which explains what it says and what it doesn't. */
export function EntryRun({ resource: { lastRun } }: { resource: Resource }) {
  const runsHere = useConfig().runs === true;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        data-printed
        className={styles.badge}
        aria-haspopup="dialog"
        onClick={() => setAsking(true)}
      >
        {lastRun ? (
          <RunBadge run={lastRun} />
        ) : (
          <Badge tone={notTried.tone}>
            <Icon name={notTried.icon} size={14} />
            {runsHere ? runBadgeMessages.never : runBadgeMessages.nowhere}
          </Badge>
        )}
      </button>
      {asking && (
        <Suspense>
          <RunMeaning run={lastRun} runsHere={runsHere} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
