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
import { NotebookView } from "./NotebookView";
import styles from "./ResourceUse.module.css";
import { workflowAddress } from "./workflowAddress";

const DatasetPreview = lazy(async () => ({ default: (await import("./DatasetPreview")).DatasetPreview }));

/** What one does with an entry of its type. */
export function ResourceUse({ resource }: { resource: Resource }) {
  switch (resource.type) {
    case "REPOSITORY":
      return <UseRepository url={resource.repositoryUrl ?? ""} />;
    case "DATASET":
      return (
        <>
          <UseDataset url={resource.datasetUrl ?? ""} />
          <Suspense fallback={<Skeleton height="16em" />}>
            <DatasetPreview id={resource.id} url={resource.datasetUrl ?? ""} />
          </Suspense>
        </>
      );
    case "MODEL":
      return <UseModel model={resource} />;
    case "NOTEBOOK":
      return <NotebookView notebook={resource} />;
    default:
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

/** A line of an attachment block: what it is, and the text to take along. */
function Part({ name, copy, text }: { name: string; copy: string; text: string }) {
  return (
    <div className={styles.part}>
      <p className={styles.name}>{name}</p>
      <CopyText label={copy} text={text} />
    </div>
  );
}

function UseRepository({ url }: { url: string }) {
  return (
    <Use title="Use this repository">
      <Part name="It lives at" copy="clone address" text={url} />
      <Part name="Clone it to your own machine" copy="clone command" text={`git clone ${shellWord(url)}`} />
      <Part
        name="In a session of a project with it, it is there already"
        copy="path in a session"
        text={repositoryFolder(url)}
      />
    </Use>
  );
}

function UseDataset({ url }: { url: string }) {
  const bundled = bundledName(url);
  const folder = datasetFolder(url);
  return (
    <Use title="Use this dataset">
      {bundled === undefined ? (
        <Part
          name={webAddress(url) === undefined ? "It is a folder on the server" : "It lives at"}
          copy={webAddress(url) === undefined ? "folder" : "address"}
          text={url}
        />
      ) : (
        <p>It ships with this server.</p>
      )}
      <Part name="In a session of a project with it, to be read only" copy="path in a session" text={folder} />
      <Part
        name="The same for programs, from any folder"
        copy="path for programs"
        text={`$CAIRN_DATASETS/${folder.slice(folder.lastIndexOf("/") + 1)}`}
      />
    </Use>
  );
}

function UseModel({ model }: { model: Resource }) {
  const config = useConfig();
  const { name: platform } = config.workflow;
  const address = workflowAddress(model, config);
  const text = `Create ${model.name}${model.version ? ` (${model.version})` : ""} in ${platform}`;
  return (
    <Use title="Run this model">
      <p>
        Models run as experiments on {platform}
        {address !== undefined && ", which opens in a new tab"}.
      </p>
      <div>
        {address === undefined ? (
          <Button unavailable={`The operators have not named an address of ${platform}.`}>{text}</Button>
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

/** The name of what is part of the server itself. */
function bundledName(address: string): string | undefined {
  return /^bundled:(.+)$/.exec(address)?.[1];
}
