import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Icon } from "@/ui/Icon";
import { projectPath, resourcePath } from "./kinds";
import { resourceActionsMessages as messages } from "./messages";
import styles from "./ResourceActions.module.css";

const CiteDialog = lazy(async () => ({ default: (await import("./CiteDialog")).CiteDialog }));

/** What everybody can do with an entry from here: use it, cite it, pass it on. */
export function ResourceActions({ resource }: { resource: Resource }) {
  const [citing, setCiting] = useState(false);
  // That of a notebook is in the bar above it, beside where it comes from.
  const project = resource.type === "NOTEBOOK" ? undefined : projectPath(resource);
  return (
    <div className={styles.actions}>
      {project && (
        <LinkButton className={styles.use} variant="primary" to={project}>
          <Icon name="plus" />
          {messages.use}
        </LinkButton>
      )}
      <Button onClick={() => setCiting(true)}>
        <Icon name="quote" />
        {messages.cite}
      </Button>
      <CopyButton label={messages.copyLink} icon="link" text={location.origin + resourcePath(resource)}>
        {messages.copyLink}
      </CopyButton>
      {citing && (
        <Suspense>
          <CiteDialog resource={resource} onClose={() => setCiting(false)} />
        </Suspense>
      )}
    </div>
  );
}
