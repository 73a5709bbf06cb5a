import type { ReactNode } from "react";
import type { Resource } from "@/api/types";
import { Cover } from "@/features/catalog/Cover";
import { DataBadge } from "@/features/catalog/DataBadge";
import { backPath, catalogPath } from "@/features/catalog/filters";
import { resourceTypes } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { starMessages } from "@/features/catalog/useStar.messages";
import { datasetFilesMessages } from "@/features/entry/DatasetFiles.messages";
import files from "@/features/entry/DatasetFiles.module.css";
import { datasetPreviewMessages } from "@/features/entry/DatasetPreview.messages";
import preview from "@/features/entry/DatasetPreview.module.css";
import { DownloadButton } from "@/features/entry/DownloadEntry";
import { notebookViewMessages } from "@/features/entry/NotebookView.messages";
import notebook from "@/features/entry/NotebookView.module.css";
import { relatedMessages } from "@/features/entry/Related.messages";
import related from "@/features/entry/Related.module.css";
import { ResourceActions } from "@/features/entry/ResourceActions";
import { resourcePageMessages as page } from "@/features/entry/ResourcePage.messages";
import styles from "@/features/entry/ResourcePage.module.css";
import { resourceTagsMessages } from "@/features/entry/ResourceTags.messages";
import tags from "@/features/entry/ResourceTags.module.css";
import { resourceUseMessages } from "@/features/entry/ResourceUse.messages";
import use from "@/features/entry/ResourceUse.module.css";
import { useModelMessages } from "@/features/entry/UseModel.messages";
import { waysToUseMessages } from "@/features/entry/WaysToUse.messages";
import { associatedProjectsMessages } from "@/features/projects/AssociatedProjects.messages";
import associated from "@/features/projects/AssociatedProjects.module.css";
import { PlainRunButton } from "@/features/sessions/RunButton";
import { BackLink } from "@/ui/BackLink";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Icon } from "@/ui/Icon";
import markdown from "@/ui/Markdown.module.css";
import { NotebookPlace } from "@/ui/NotebookFrame";
import frame from "@/ui/NotebookFrame.module.css";
import { Page } from "@/ui/Page";
import { address, If, part, Range, text, withCover } from "./actions";
import { Facts, SourceLink } from "./EntryFacts";
import { entryTemplateMessages as messages } from "./EntryTemplate.messages";

const isOf = (type: string) => `eq .Type "${type}"`;

/** An entry as ResourcePage shows it, as far as its own answer has it, with its files and its notebook. */
export function EntryTemplate() {
  return (
    <Page
      heading={<bdi>{text(".Name")}</bdi>}
      above={
        <>
          <BackLink to={backPath(null)} />
          <div className={styles.labels}>
            {resourceTypes.map((type) => (
              <If key={type} of={isOf(type)}>
                <TypeBadge type={type} />
              </If>
            ))}
            <If of=".Host">
              <span className={styles.host}>{text(".Host")}</span>
            </If>
            <If of=".DataMissing">
              <DataBadge resource={{ dataMissing: true } as Resource} />
            </If>
            <If of={`or (${isOf("REPOSITORY")}) (${isOf("NOTEBOOK")})`}>
              <div className={styles.run}>
                <If of=".Ran">
                  <Badge tone="grey">{text(".Ran")}</Badge>
                </If>
              </div>
            </If>
          </div>
        </>
      }
    >
      <Actions />
      <If of=".TagNames">
        <div className={tags.tags}>
          <ul className={tags.list} aria-label={resourceTagsMessages.label}>
            <Range of=".TagNames">
              <li>
                <a href={catalogPath({ tags: ["go:tagInList ."] })} dir="auto">
                  {text(".")}
                </a>
              </li>
            </Range>
          </ul>
        </div>
      </If>
      <nav className={styles.parts} aria-label={page.parts}>
        <a href="#about">{page.partNames.about}</a>
        <If of=".Notebook">
          <a href="#notebook">{page.partNames.notebook}</a>
        </If>
        <If of={`or (${isOf("REPOSITORY")}) (${isOf("DATASET")})`}>
          <a href="#files">{page.partNames.files}</a>
        </If>
        <If of={`and (not .Notebook) (not .DataMissing)`}>
          <a href="#use">{page.partNames.use}</a>
        </If>
      </nav>
      <div className={styles.columns}>
        <aside className={styles.facts} aria-label={page.facts}>
          <Facts />
        </aside>
        <div className={styles.main}>
          <If of=".CoverURL">
            <If of=".HeaderImageURL" otherwise={<Cover resource={withCover("")} className={styles.picture} />}>
              <Cover resource={withCover("it")} className={styles.picture} />
            </If>
          </If>
          <section aria-labelledby="about" className={styles.section}>
            <h2 id="about">{page.about}</h2>
            <If of=".Paragraphs" otherwise={<p className={styles.none}>{page.noDescription}</p>}>
              <div className={markdown.text} dir="auto">
                <Range of=".Paragraphs">
                  <p>{text(".")}</p>
                </Range>
              </div>
            </If>
          </section>
          <If of={`or (${isOf("REPOSITORY")}) (${isOf("DATASET")})`}>
            <section className={preview.preview} aria-labelledby="files">
              <h2 id="files">{datasetPreviewMessages.title}</h2>
              <If of=".Files" otherwise={<SourceLink />}>
                <Files />
              </If>
            </section>
          </If>
          <If of=".RepositoryURL">
            <Use title={resourceUseMessages.repository}>
              <Part name={waysToUseMessages.address} of=".RepositoryURL" />
            </Use>
          </If>
          <If of="and .DatasetURL (not .DataMissing)">
            <Use title={resourceUseMessages.dataset}>
              <If of=".Facts.Source.Href" otherwise={<p>{messages.included}</p>}>
                <Part name={waysToUseMessages.address} of=".DatasetURL" />
              </If>
            </Use>
          </If>
          <If of=".Platform.Name">
            <Use title={resourceUseMessages.model}>
              <If of=".Platform.URL" otherwise={<p>{useModelMessages.modelRuns(text(".Platform.Name"), false)}</p>}>
                <p>{useModelMessages.modelRuns(text(".Platform.Name"), true)}</p>
                <p>
                  <a href={address(".Platform.URL")} target="_blank" rel="noopener noreferrer">
                    {useModelMessages.create(text(".Name"), undefined, text(".Platform.Name"))}
                  </a>
                </p>
              </If>
            </Use>
          </If>
          <If of=".Notebook">
            <Notebook />
          </If>
          {/* With the script they are fetched when they come near. */}
          <noscript>
            <Projects />
            <Related />
          </noscript>
        </div>
      </div>
    </Page>
  );
}

/** The row of actions, of which only the download works without scripts. */
function Actions() {
  return (
    <If
      of={isOf("REPOSITORY")}
      otherwise={
        <If
          of={isOf("DATASET")}
          otherwise={
            <If of=".RepositoryID" otherwise={<ActionsOf resource={{ type: "MODEL" }} />}>
              <ActionsOf resource={{ type: "NOTEBOOK", repositoryId: part(".RepositoryID") }} />
            </If>
          }
        >
          <ActionsOf resource={{ type: "DATASET", id: part(".ID") }} />
        </If>
      }
    >
      <ActionsOf resource={{ type: "REPOSITORY", id: part(".ID") }} />
    </If>
  );
}

/** As far as ResourceActions looks at the entry. */
function ActionsOf({ resource }: { resource: Partial<Resource> }) {
  const run = (
    <If of={`and .Runnable (not (${isOf("MODEL")}))`}>
      <PlainRunButton target={{ id: "", name: "", of: "entry" }} />
    </If>
  );
  const download = (
    <If of=".Download">
      <DownloadButton to={address(".Download")} />
    </If>
  );
  return (
    <ResourceActions resource={resource as Resource} run={run} download={download}>
      <Button>
        <Icon name="star" />
        {starMessages.star}
        <If of=".StarCount">
          <span className={styles.stars}>{text(".StarCount")}</span>
        </If>
      </Button>
    </ResourceActions>
  );
}

function Files() {
  return (
    <>
      <If of=".Files.Elsewhere">
        <p className={preview.note}>{datasetPreviewMessages.elsewhere(text(".Files.Elsewhere"))}</p>
      </If>
      <If of=".Files.Note">
        <p className={preview.note}>{text(".Files.Note")}</p>
      </If>
      <If of=".Files.Rows">
        <ul className={files.list} aria-label={datasetFilesMessages.label}>
          <Range of=".Files.Rows">
            <li>
              <span className={files.row}>
                <span className={files.sign}>
                  <If of=".IsFolder" otherwise={<Icon name="file" />}>
                    <Icon name="folder" />
                  </If>
                </span>
                <bdi className={files.name}>
                  <If of=".Href" otherwise={text(".Name")}>
                    <a href={address(".Href")}>{text(".Name")}</a>
                  </If>
                </bdi>
                <span className={files.size}>{text(".Size")}</span>
              </span>
            </li>
          </Range>
        </ul>
        <If of=".Files.More">
          <p className={files.note}>{messages.moreFiles(text(".Files.More"))}</p>
        </If>
      </If>
    </>
  );
}

function Notebook() {
  return (
    <section className={notebook.section} aria-labelledby="notebook">
      <h2 id="notebook">{notebookViewMessages.title}</h2>
      <div className={notebook.bar}>
        <span className={notebook.source}>
          <Icon name="book" />
          <If of=".Facts.Source.Href" otherwise={text(".Notebook.Name")}>
            <a href={address(".Facts.Source.Href")} rel="noopener noreferrer">
              {text(".Notebook.Name")}
            </a>
          </If>
        </span>
      </div>
      {/* With the script the notebook waits until one comes near it. */}
      <noscript>
        <div className={frame.place}>
          <iframe
            className={frame.frame}
            height={800}
            src={address(".Notebook.Frame")}
            title={notebookViewMessages.frame(text(".Name"))}
            sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
          />
        </div>
      </noscript>
      <div className={frame.scripted}>
        <NotebookPlace />
      </div>
    </section>
  );
}

function Projects() {
  return (
    <If of=".Projects">
      <section className={associated.section} aria-labelledby="projects">
        <h2 id="projects">{associatedProjectsMessages.title}</h2>
        <ul>
          <Range of=".Projects">
            <li>
              <a href={`/projects/${part(".ID")}`}>{text(".Name")}</a>
            </li>
          </Range>
        </ul>
      </section>
    </If>
  );
}

function Related() {
  return (
    <If of="or .Related.Entries .Related.Events">
      <section className={related.related} aria-labelledby="related">
        <h2 id="related">{relatedMessages.title}</h2>
        <Range of=".Related.Events">
          <p>
            {relatedMessages.from} <a href={`/events#${part(".Slug")}`}>{text(".Title")}</a>
          </p>
        </Range>
        <ul className={related.entries}>
          <Range of=".Related.Entries">
            <li>
              <span>
                {resourceTypes.map((type) => (
                  <If key={type} of={isOf(type)}>
                    <TypeBadge type={type} />
                  </If>
                ))}
              </span>
              <a href={address(".Path")}>{text(".Name")}</a>
              <span className={related.why}>
                <If of=".Why.Project.ID">
                  {relatedMessages.project}{" "}
                  <a href={`/projects/${part(".Why.Project.ID")}`}>{text(".Why.Project.Name")}</a>
                </If>
                <If of=".Why.Event.Slug">{relatedMessages.event(text(".Why.Event.Title"))}</If>
                <If of=".Why.Tags">{relatedMessages.tags([text(`join .Why.Tags ", "`)])}</If>
                <If of={`eq .Why.Reason "repository"`}>{relatedMessages.repository}</If>
              </span>
            </li>
          </Range>
        </ul>
      </section>
    </If>
  );
}

function Use({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={use.use} aria-labelledby="use">
      <h2 id="use">{title}</h2>
      {children}
    </section>
  );
}

function Part({ name, of }: { name: string; of: string }) {
  return (
    <div className={use.part}>
      <p className={use.name}>{name}</p>
      <CopyText label={name} text={text(of)} />
    </div>
  );
}
