import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { projectPath } from "@/features/catalog/kinds";
import { classes } from "@/lib/classes";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { resourceActionsMessages as messages } from "./ResourceActions.messages";
import styles from "./ResourceActions.module.css";

const ShareResource = lazy(async () => ({ default: (await import("./ShareResource")).ShareResource }));
const CiteDialog = lazy(async () => ({ default: (await import("./CiteDialog")).CiteDialog }));

interface ResourceActionsProps {
  resource: Resource;
  /** The button that starts a session with it; null if nothing does, undefined while unknown. */
  start: ReactNode;
}

/** What everybody can do with an entry from here: start it, use it, cite it, pass it on. All of it takes two lines. */
export function ResourceActions({ resource, start }: ResourceActionsProps) {
  const [citing, setCiting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const quiet = Boolean(start) || resource.runnable !== undefined;
  // That of a notebook is in the bar above it, beside where it comes from.
  const project = resource.type === "NOTEBOOK" ? undefined : projectPath(resource);
  return (
    <>
      <div className={classes(styles.actions, Boolean(start && project) && styles.three)}>
        {start !== null && <div className={styles.first}>{start ?? <Skeleton height="40px" />}</div>}
        {project && start !== undefined && (
          <LinkButton
            className={start ? undefined : styles.first}
            variant={quiet ? "secondary" : "primary"}
            size={start ? "small" : "medium"}
            to={project}
          >
            <Icon name="plus" />
            {messages.use}
          </LinkButton>
        )}
        <Button size="small" onClick={() => setCiting(true)}>
          <Icon name="quote" size={16} />
          {messages.cite}
        </Button>
        <Button size="small" onClick={() => setSharing(true)}>
          <Icon name="link" size={16} />
          {messages.share}
        </Button>
      </div>
      {sharing && (
        <Suspense>
          <ShareResource resource={resource} onClose={() => setSharing(false)} />
        </Suspense>
      )}
      {citing && (
        <Suspense>
          <CiteDialog resource={resource} onClose={() => setCiting(false)} />
        </Suspense>
      )}
    </>
  );
}
