import type { LastRun } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { Icon } from "@/ui/Icon";
import styles from "./RunBadge.module.css";
import { isStale, runWords, verdictLooks } from "./runWords";

/** What an entry's last run came to, in words, a sign and a color; gray where that says little about today. */
export function RunBadge({ run }: { run: LastRun }) {
  const { tone, icon } = verdictLooks[run.verdict];
  const words = runWords(run);
  return (
    <Badge tone={isStale(run) ? "grey" : tone} title={words}>
      <Icon name={icon} size={14} />
      <span className={styles.words}>{words}</span>
    </Badge>
  );
}
