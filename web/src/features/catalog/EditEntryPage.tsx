import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { isNotFound, messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { EntryForm } from "./EntryForm";
import { catalogPath } from "./filters";
import { kindOf, resourcePath } from "./kinds";
import { resourceQuery } from "./queries";

/** The form of an entry that is there, for its authors. */
export function EditEntryPage() {
  const { type = "", id = "" } = useParams();
  const queries = useQueryClient();
  const [opened] = useState(Date.now);
  // What was kept from before may be old by now; what is read again later must not touch what is being typed.
  const { data, dataUpdatedAt, error, refetch } = useQuery({ ...resourceQuery(id, true), refetchOnMount: "always" });
  const [entry, setEntry] = useState<Resource>();
  if (!entry && data && dataUpdatedAt >= opened) setEntry(data);

  const back = <BackLink to={`/resources/${type}/${id}`} />;
  if (error && !entry) {
    return (
      <Page title="Edit the entry" width="narrow" above={back}>
        {isNotFound(error) ? (
          <Empty
            title="There is no such resource, or you may not see it."
            action={<LinkButton to={catalogPath()}>Browse the catalog</LinkButton>}
          />
        ) : (
          <ErrorState title="The resource could not be read." message={messageOf(error)} onRetry={() => refetch()} />
        )}
      </Page>
    );
  }
  if (!entry) {
    return (
      <Page title="Edit the entry" width="narrow" above={back}>
        <div role="status">
          <span className="visually-hidden">Loading the resource</span>
          <Skeleton height="40px" />
        </div>
      </Page>
    );
  }
  const title = `Edit ${entry.name}`;
  if (entry.type === "REPOSITORY" || !entry.canEdit) {
    return (
      <Page title={title} width="narrow" above={back}>
        <Empty
          title={
            entry.type === "REPOSITORY"
              ? "The entry of a repository says what the descriptor file in it says."
              : "Only the authors of an entry change it."
          }
          action={<LinkButton to={resourcePath(entry)}>Show the {kindOf(entry.type).label.toLowerCase()}</LinkButton>}
        >
          {entry.type === "REPOSITORY" && <p>Change that file, then sync the entry.</p>}
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
