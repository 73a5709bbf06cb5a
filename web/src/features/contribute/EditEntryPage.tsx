import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { catalogPath } from "@/features/catalog/filters";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { resourceQuery } from "@/features/catalog/queries";
import { keptVersion } from "@/lib/keptFiles";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { editEntryMessages as messages } from "./EditEntryPage.messages";
import styles from "./EditEntryPage.module.css";
import { EntryForm } from "./EntryForm";

/** The form of an existing entry, for its authors. */
export function EditEntryPage() {
  const { type = "", id = "" } = useParams();
  const queries = useQueryClient();
  const [opened] = useState(Date.now);
  // The cached entry may be outdated, and later reads must not overwrite what is being typed.
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    ...resourceQuery(id, true),
    refetchOnMount: "always",
  });
  const [entry, setEntry] = useState<Resource>();
  if (!entry && data && dataUpdatedAt >= opened) setEntry(data);

  const back = <BackLink to={`/resources/${type}/${id}`} />;
  if (error && !entry) {
    return (
      <Page width="narrow" above={back}>
        {isNotFound(error) ? (
          <Empty title={messages.absent} action={<LinkButton to={catalogPath()}>{messages.browse}</LinkButton>} />
        ) : (
          <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => refetch()} />
        )}
      </Page>
    );
  }
  if (!entry) {
    return (
      <Page width="narrow" above={back}>
        <SkeletonPlace label={messages.loading}>
          <FormSkeleton />
        </SkeletonPlace>
      </Page>
    );
  }
  const title = messages.title(entry.name);
  const atHost = entry.type === "REPOSITORY" && keptVersion(entry) === undefined;
  if (atHost || !entry.canEdit) {
    return (
      <Page title={title} width="narrow" above={back}>
        <Empty
          title={atHost ? messages.ofRepository : messages.authorsOnly}
          action={<LinkButton to={resourcePath(entry)}>{messages.show(kindOf(entry.type).label)}</LinkButton>}
        >
          {atHost && <p>{messages.syncIt}</p>}
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={title} width="narrow" above={<BackLink to={resourcePath(entry)} />}>
      <EntryForm
        type={entry.type}
        entry={entry}
        onReload={() => queries.fetchQuery({ ...resourceQuery(id, true), staleTime: 0 }).catch(() => undefined)}
      />
    </Page>
  );
}

/** Placeholders for the fields. */
function FormSkeleton() {
  return (
    <div className={styles.waiting}>
      {["44px", "44px", "12rem", "44px", "44px"].map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places.
        <div key={index}>
          <Skeleton width="8rem" height="20px" />
          <Skeleton height={height} />
        </div>
      ))}
    </div>
  );
}
