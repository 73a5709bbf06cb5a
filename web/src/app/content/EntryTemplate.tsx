import type { ReactNode } from "react";
import type { Resource } from "@/api/types";
import { Cover } from "@/features/catalog/Cover";
import { relationWords, roleWords } from "@/features/catalog/cited.messages";
import { DataBadge } from "@/features/catalog/DataBadge";
import { backPath, catalogPath } from "@/features/catalog/filters";
import { resourceTypes } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { starMessages } from "@/features/catalog/useStar.messages";
import { citedWorkMessages as cited } from "@/features/entry/CitedWork.messages";
import { datasetFilesMessages } from "@/features/entry/DatasetFiles.messages";
import files from "@/features/entry/DatasetFiles.module.css";
import { datasetPreviewMessages } from "@/features/entry/DatasetPreview.messages";
import preview from "@/features/entry/DatasetPreview.module.css";
import { DownloadButton } from "@/features/entry/DownloadEntry";
import { measuredFactsMessages as measured } from "@/features/entry/MeasuredFacts.messages";
import { notebookViewMessages } from "@/features/entry/NotebookView.messages";
import notebook from "@/features/entry/NotebookView.module.css";
import { relatedMessages } from "@/features/entry/Related.messages";
import related from "@/features/entry/Related.module.css";
import { ResourceActions } from "@/features/entry/ResourceActions";
import { resourceFactsMessages as factNames } from "@/features/entry/ResourceFacts.messages";
import facts from "@/features/entry/ResourceFacts.module.css";
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
import avatar from "@/ui/Avatar.module.css";
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

function Facts() {
  return (
    <details className={`${facts.facts} ${facts.drawn}`}>
      <summary className={facts.summary}>{factNames.title}</summary>
      <dl className={facts.list}>
        <If of="len .Authors | lt 1" otherwise={<Authors name={factNames.authors(1)} />}>
          <Authors name={factNames.authors(2)} />
        </If>
        <If of=".Facts.People">
          <Fact name={factNames.people}>
            <Range of=".Facts.People">
              <span className={facts.person}>
                <If of=".Href" otherwise={text(".Text")}>
                  <a href={address(".Href")}>{text(".Text")}</a>
                </If>
                <If of=".Profile">
                  {" "}
                  <a href={address(".Profile")} rel="noopener noreferrer">
                    {factNames.orcid}
                  </a>
                </If>
                <If of="or .Role .At.Text">
                  <span className={facts.at}>
                    <If of=".Role">
                      <OneOf of=".Role" words={roles} />
                      <If of=".At.Text">, </If>
                    </If>
                    <Linked to=".At" />
                  </span>
                </If>
              </span>
            </Range>
          </Fact>
        </If>
        <If of=".License">
          <Fact name={factNames.license}>
            <Linked to=".Facts.License" />
          </Fact>
        </If>
        <If of=".DOI">
          <Fact name={factNames.doi}>
            <Linked to=".Facts.DOI" />
          </Fact>
        </If>
        <If of=".Version">
          <Fact name={factNames.version}>
            <span className={facts.exact}>{text(".Version")}</span>
          </Fact>
        </If>
        <CitedFacts />
        <Fact name={factNames.added}>
          <time dateTime={text(".Facts.Added.At")}>{text(".Facts.Added.On")}</time>
        </Fact>
        <If of=".Facts.Updated.At">
          <Fact name={factNames.updated}>
            <time dateTime={text(".Facts.Updated.At")}>{text(".Facts.Updated.On")}</time>
          </Fact>
        </If>
        <If of=".UsedBy">
          <Fact name={factNames.usedBy}>
            <If of="eq .UsedBy 1" otherwise={factNames.projects(0).replace("0", text(".UsedBy"))}>
              {factNames.projects(1)}
            </If>
          </Fact>
        </If>
        <If of=".StarCount">
          <Fact name={factNames.stars}>{text(".StarCount")}</Fact>
        </If>
        <Fact name={factNames.privacy}>{factNames.public}</Fact>
        <If of=".Facts.Source.Href">
          <Fact name={factNames.links}>
            <SourceLink />
          </Fact>
        </If>
        <If of=".Facts.Language">
          <Fact name={measured.language}>{text(".Facts.Language")}</Fact>
        </If>
        <If of=".Facts.Size">
          <Fact name={measured.size}>{text(".Facts.Size")}</Fact>
        </If>
        <If of=".Facts.Pushed.At">
          <Fact name={measured.pushed}>
            <time dateTime={text(".Facts.Pushed.At")}>{text(".Facts.Pushed.On")}</time>
          </Fact>
        </If>
      </dl>
    </details>
  );
}

/** What CitedWork shows. */
function CitedFacts() {
  return (
    <>
      <If of=".Resource.Language">
        {/* Its tag: the page's script knows the names of languages. */}
        <Fact name={cited.language}>{text(".Resource.Language")}</Fact>
      </If>
      <If of=".Facts.Funding">
        <Fact name={cited.funding}>
          <Range of=".Facts.Funding">
            <span className={facts.award}>
              <Linked to=".Funder" />
              <If of=".Award.Text">
                <span className={facts.at}>
                  <Linked to=".Award" />
                </span>
              </If>
            </span>
          </Range>
        </Fact>
      </If>
      <If of=".Facts.Related">
        <Fact name={cited.related}>
          <Range of=".Facts.Related">
            <span className={facts.award}>
              <OneOf of=".Relation" words={relationWords} /> <Linked to="" />
            </span>
          </Range>
        </Fact>
      </If>
    </>
  );
}

/** DataCite's names of roles, with words for them. */
const roles = Object.fromEntries(
  Object.keys(roleWords)
    .filter(Boolean)
    .map((role) => [role, cited.role(role)]),
);

/** The words for one of DataCite's names; the name itself if there are none. */
function OneOf({ of, words }: { of: string; words: Record<string, string> }): ReactNode {
  return Object.entries(words).reduceRight<ReactNode>(
    (otherwise, [name, written]) => (
      <If key={name} of={`eq ${of} "${name}"`} otherwise={otherwise}>
        {written}
      </If>
    ),
    text(of),
  );
}

/** A text, with a link if it has an address. */
function Linked({ to }: { to: string }) {
  return (
    <If of={`${to}.Href`} otherwise={text(`${to}.Text`)}>
      <a href={address(`${to}.Href`)} rel="noopener noreferrer">
        {text(`${to}.Text`)}
      </a>
    </If>
  );
}

function Authors({ name }: { name: string }) {
  return (
    <Fact name={name}>
      <ul className={facts.authors}>
        <Range of=".Facts.Authors">
          <li>
            <span className={`${avatar.avatar} ${avatar.small}`} aria-hidden="true">
              {text(".Initials")}
            </span>
            <a href={address(".Href")} dir="ltr">
              {text(".Text")}
            </a>
          </li>
        </Range>
      </ul>
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={facts.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function SourceLink() {
  return (
    <a href={address(".Facts.Source.Href")} rel="noopener noreferrer">
      {text(".Facts.Source.Text")}
    </a>
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
