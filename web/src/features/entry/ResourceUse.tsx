import { lazy, type ReactNode, Suspense } from "react";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { datasetFolder, repositoryFolder } from "@/lib/folders";
import { webAddress } from "@/lib/links";
import { shellWord } from "@/lib/shell";
import { Button, LinkButton } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { resourceUseMessages as messages } from "./ResourceUse.messages";
import styles from "./ResourceUse.module.css";
import { workflowAddress } from "./workflowAddress";

const NotebookView = lazy(async () => ({ default: (await import("./NotebookView")).NotebookView }));
const DatasetPreview = lazy(async () => ({ default: (await import("./DatasetPreview")).DatasetPreview }));

/** What one does with an entry of its type. */
export function ResourceUse({ resource }: { resource: Resource }) {
  switch (resource.type) {
    case "REPOSITORY":
      return <UseRepository url={resource.repositoryUrl ?? ""} />;
    case "DATASET":
      return (
        <>
          <Suspense fallback={<Skeleton height="16em" />}>
            <DatasetPreview id={resource.id} url={resource.datasetUrl ?? ""} />
          </Suspense>
          {!resource.dataMissing && <UseDataset url={resource.datasetUrl ?? ""} />}
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
      {children}
    </section>
  );
}

/** A line of an attachment block: its label, and the text to copy. */
function Part({ name, copy, text }: { name: string; copy: string; text: string }) {
  return (
    <div className={styles.part}>
      <p className={styles.name}>{name}</p>
      <CopyText label={copy} text={text} />
    </div>
  );
}

function UseRepository({ url }: { url: string }) {
  const clone = `git clone ${shellWord(url)}`;
  return (
    <Use title={messages.repository}>
      <Part name={messages.livesAt} copy={messages.cloneAddress} text={url} />
      <Part name={messages.clone} copy={messages.cloneCommand} text={clone} />
      <Part name={messages.repositoryInSession} copy={messages.pathInSession} text={repositoryFolder(url)} />
    </Use>
  );
}

function UseDataset({ url }: { url: string }) {
  const bundled = bundledName(url);
  const folder = datasetFolder(url);
  const variable = `$CAIRN_DATASETS/${folder.slice(folder.lastIndexOf("/") + 1)}`;
  return (
    <Use title={messages.dataset}>
      {bundled === undefined ? (
        <Part
          name={webAddress(url) === undefined ? messages.onServer : messages.livesAt}
          copy={webAddress(url) === undefined ? messages.folder : messages.address}
          text={url}
        />
      ) : (
        <p>{messages.ships}</p>
      )}
      <Part name={messages.datasetInSession} copy={messages.pathInSession} text={folder} />
      <Part name={messages.forPrograms} copy={messages.pathForPrograms} text={variable} />
    </Use>
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

/** The name of something that is part of the server itself. */
function bundledName(address: string): string | undefined {
  return /^bundled:(.+)$/.exec(address)?.[1];
}
