import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { StatusBadge } from "@/features/catalog/curation/StatusBadge";
import { catalogPath } from "@/features/catalog/filters";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { Alert } from "@/ui/Alert";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import { useNavigate } from "@/ui/router";
import { closedEntryMessages as messages } from "./ClosedEntry.messages";
import notices from "./EntryNotices.module.css";
import styles from "./ResourcePage.module.css";

const DeleteResource = lazy(async () => ({
  default: (await import("@/features/catalog/DeleteResource")).DeleteResource,
}));

interface ClosedEntryProps {
  resource: Resource;
  closed: NonNullable<Resource["closed"]>;
  back: ReactNode;
}

/**
 * What an author sees of an entry whose repository they can't read at its code host now: its name, and why the rest isn't shown.
 * Nothing else about it is asked.
 */
export function ClosedEntry({ resource, closed: { code, reason }, back }: ClosedEntryProps) {
  const { name, type, canDelete } = resource;
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          {back}
          <div className={styles.labels}>
            <TypeBadge type={type} />
            <StatusBadge resource={resource} />
          </div>
        </>
      }
    >
      <div className={notices.notices}>
        <Alert title={messages.title}>
          <p>{reason}</p>
          <p>{messages.meaning}</p>
        </Alert>
        <div className={notices.line}>
          {code === "not_connected" && (
            <LinkButton variant="primary" to="/account/connections">
              {messages.connect}
            </LinkButton>
          )}
          {canDelete && (
            <Button onClick={() => setDeleting(true)}>
              <Icon name="trash" />
              {messages.delete}
            </Button>
          )}
        </div>
      </div>
      {deleting && (
        <Suspense>
          <DeleteResource
            resource={resource}
            onClose={() => setDeleting(false)}
            onDeleted={() => navigate(catalogPath(), { replace: true })}
          />
        </Suspense>
      )}
    </Page>
  );
}
