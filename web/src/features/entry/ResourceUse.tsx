import { lazy, type ReactNode, Suspense } from "react";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { resourceUseMessages as messages } from "./ResourceUse.messages";
import styles from "./ResourceUse.module.css";
import { workflowAddress } from "./workflowAddress";

const NotebookView = lazy(async () => ({ default: (await import("./NotebookView")).NotebookView }));
const WaysToUse = lazy(async () => ({ default: (await import("./WaysToUse")).WaysToUse }));
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
      return <UseModel model={resource} />;
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

function UseModel({ model }: { model: Resource }) {
  const config = useConfig();
  const { name: platform } = config.workflow;
  const address = workflowAddress(model, config);
  const text = messages.create(model.name, model.version, platform);
  return (
    <Use title={messages.model}>
      <p>{messages.modelRuns(platform, address !== undefined)}</p>
      <div className={styles.part}>
        {address === undefined ? (
          <>
            <Button unavailable={messages.noAddress(platform)}>{text}</Button>
            {/* The button says it too, to those who hear it. */}
            <p className={styles.name} aria-hidden="true">
              {messages.noAddress(platform)}
            </p>
          </>
        ) : (
          <LinkButton to={address} newTab variant="primary">
            {text}
            <Icon name="external" />
          </LinkButton>
        )}
      </div>
    </Use>
  );
}
