import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { datasetFolder, repositoryFolder } from "@/lib/folders";
import { webAddress } from "@/lib/links";
import { Button, LinkButton } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Icon } from "@/ui/Icon";
import { TextLink } from "@/ui/TextLink";
import { NotebookView } from "./NotebookView";
import styles from "./ResourceUse.module.css";

/** What one does with an entry of its type. */
export function ResourceUse({ resource }: { resource: Resource }) {
  switch (resource.type) {
    case "REPOSITORY":
      return <UseRepository url={resource.repositoryUrl ?? ""} />;
    case "DATASET":
      return <UseDataset url={resource.datasetUrl ?? ""} />;
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

/** A text of the web becomes a link, another one stays as it is. */
function Address({ of }: { of: string }) {
  const address = webAddress(of);
  return address === undefined ? <code>{of}</code> : <TextLink href={address}>{of}</TextLink>;
}

function UseRepository({ url }: { url: string }) {
  return (
    <Use title="Use this repository">
      <p>
        <Address of={url} />
      </p>
      <p>Clone it to your own machine:</p>
      <CopyText label="clone command" text={`git clone ${url}`} />
      <p>
        In a session of a project with it, it lies in <code>{repositoryFolder(url)}</code>.
      </p>
    </Use>
  );
}

function UseDataset({ url }: { url: string }) {
  const bundled = bundledName(url);
  return (
    <Use title="Use this dataset">
      {bundled === undefined ? (
        <p>
          {webAddress(url) === undefined && "Folder on the server: "}
          <Address of={url} />
        </p>
      ) : (
        <p>It ships with this server.</p>
      )}
      <p>In a session of a project with it, it lies here, to be read only:</p>
      <CopyText label="path in a session" text={datasetFolder(url)} />
      <p>
        Programs find the folder of all datasets in the variable <code>CAIRN_DATASETS</code>.
      </p>
    </Use>
  );
}

function UseModel({ model }: { model: Resource }) {
  const { workflow } = useConfig();
  const text = `Create ${model.name} (${model.version}) in ${workflow.name}`;
  const address = workflow.url.replaceAll(
    "{applicationInterfaceId}",
    encodeURIComponent(model.applicationInterfaceId ?? ""),
  );
  return (
    <Use title="Run this model">
      <p>Models run as experiments on {workflow.name}, which opens in a new tab.</p>
      <div>
        {webAddress(address) === undefined ? (
          <Button unavailable={`The operators have not named an address of ${workflow.name}.`}>{text}</Button>
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
