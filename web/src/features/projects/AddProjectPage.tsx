import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import { BackLink } from "@/ui/BackLink";
import { ErrorState } from "@/ui/ErrorState";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { addProjectMessages as messages } from "./AddProjectPage.messages";
import styles from "./AddProjectPage.module.css";
import { wantedParts } from "./draft";
import { FormSkeleton } from "./FormSkeleton";
import { ProjectForm } from "./ProjectForm";
import { partQuery } from "./partQueries";

/** The most parts a project can have; further ones in the address aren't requested. */
const mostDatasets = 100;

/** The form of a new project, filled with the entries that the address names. */
export function AddProjectPage() {
  return (
    <Page width="narrow" above={<BackLink to="/add" />} subtitle={messages.subtitle}>
      <Filled />
    </Page>
  );
}

function Filled() {
  const [query, setQuery] = useSearchParams();
  // A later change of the address doesn't undo choices made in the meantime.
  const [{ repositoryId, datasetIds }] = useState(() => wantedParts(query));
  const ids = [...(repositoryId === undefined ? [] : [repositoryId]), ...datasetIds.slice(0, mostDatasets)];
  const found = useQueries({ queries: ids.map(partQuery) });
  const failed = found.find(({ error }) => error && !isNotFound(error));

  if (failed) {
    const retry = () => {
      for (const each of found) if (each.error) void each.refetch();
    };
    return <ErrorState title={messages.cannotLoad} message={messageOf(failed.error)} onRetry={retry} />;
  }
  if (found.some(({ isPending }) => isPending)) {
    return <FormSkeleton label={messages.loading} />;
  }
  const parts = found.flatMap(({ data }) => data ?? []);
  const repository = parts.find(({ id, type }) => id === repositoryId && type === "REPOSITORY");
  const datasets = parts.filter(({ id, type }) => datasetIds.includes(id) && type === "DATASET");
  return (
    <div className={styles.stack}>
      <Missing repository={repositoryId !== undefined && !repository} datasets={datasetIds.length - datasets.length} />
      <ProjectForm
        initial={{ name: "", repository, datasets, published: false }}
        onReset={() => {
          const rest = new URLSearchParams(query);
          rest.delete("repositoryId");
          setQuery(rest, { replace: true });
        }}
      />
    </div>
  );
}

/** Says that the address names something unavailable. */
function Missing({ repository, datasets }: { repository: boolean; datasets: number }) {
  if (!repository && datasets === 0) return null;
  return (
    <Note kind="error" role="alert">
      {messages.missing(repository, datasets)}
    </Note>
  );
}
