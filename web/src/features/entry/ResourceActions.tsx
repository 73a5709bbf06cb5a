import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { projectPath } from "@/features/catalog/kinds";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { resourceActionsMessages as messages } from "./ResourceActions.messages";
import styles from "./ResourceActions.module.css";

const ShareResource = lazy(async () => ({ default: (await import("./ShareResource")).ShareResource }));
const CiteDialog = lazy(async () => ({ default: (await import("./CiteDialog")).CiteDialog }));

interface ResourceActionsProps {
  resource: Resource;
  /** The button that runs it, or why there is none; nothing if it isn't run here. */
  run: ReactNode;
  /** The link that downloads it; nothing if there is no file to download. */
  download: ReactNode;
  /** The star, and what only authors can do. */
  children: ReactNode;
}

/** The row of what can be done with an entry. */
export function ResourceActions({ resource, run, download, children }: ResourceActionsProps) {
  const [citing, setCiting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const { entryVersion: shown } = resource;
  // Projects use the latest version.
  const project = shown && shown.number < shown.latest ? undefined : projectPath(resource);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <div className={styles.actions} role="group" aria-label={messages.actions}>
      {run && typeof run !== "string" && (
        <div className={resource.type === "MODEL" ? undefined : styles.run}>{run}</div>
      )}
      {resource.runnable && resource.type !== "MODEL" && (
        <LinkButton className={styles.scripted} to={`/jobs/new?resource=${resource.id}`}>
          {messages.runWith}
        </LinkButton>
      )}
      {download}
      {project && (
        <LinkButton className={styles.scripted} to={project}>
          <Icon name="plus" />
          {messages.use}
        </LinkButton>
      )}
      <Button onClick={() => setCiting(true)}>
        <Icon name="quote" />
        {messages.cite}
      </Button>
      <Button onClick={() => setSharing(true)}>
        <Icon name="link" />
        {messages.share}
      </Button>
      {children}
      {typeof run === "string" && <p>{run}</p>}
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
    </div>
  );
}
