import { lazy, type ReactNode, Suspense } from "react";
import type { Resource } from "@/api/types";
import { Skeleton } from "@/ui/Loading";
import { resourceUseMessages as messages } from "./ResourceUse.messages";
import styles from "./ResourceUse.module.css";

const NotebookView = lazy(async () => ({ default: (await import("./NotebookView")).NotebookView }));
const WaysToUse = lazy(async () => ({ default: (await import("./WaysToUse")).WaysToUse }));
const UseModel = lazy(async () => ({ default: (await import("./UseModel")).UseModel }));
const DatasetPreview = lazy(async () => ({ default: (await import("./DatasetPreview")).DatasetPreview }));

/** What one does with an entry of its type. */
export function ResourceUse({ resource }: { resource: Resource }) {
  switch (resource.type) {
    case "REPOSITORY":
      return (
        <Use title={messages.repository}>
          <WaysToUse of={resource} />
        </Use>
      );
    case "DATASET":
      return (
        <>
          <Suspense fallback={<Skeleton height="16em" />}>
            <DatasetPreview id={resource.id} url={resource.datasetUrl ?? ""} />
          </Suspense>
          {!resource.dataMissing && (
            <Use title={messages.dataset}>
              <WaysToUse of={resource} />
            </Use>
          )}
        </>
      );
    case "MODEL":
      return (
        <Use title={messages.model}>
          <UseModel model={resource} />
        </Use>
      );
    case "NOTEBOOK":
      return (
        <Suspense fallback={<Skeleton height="800px" />}>
          <NotebookView notebook={resource} />
        </Suspense>
      );
    default:
      resource.type satisfies never; // a newer server may know more types
      return null;
  }
}

function Use({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.use} aria-labelledby="use">
      <h2 id="use">{title}</h2>
      <Suspense fallback={<Skeleton height="96px" />}>{children}</Suspense>
    </section>
  );
}
