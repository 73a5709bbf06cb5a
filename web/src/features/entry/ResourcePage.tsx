import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { hasCode, isNotFound, messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import type { Version } from "@/api/version";
import { Cover } from "@/features/catalog/Cover";
import { DataBadge } from "@/features/catalog/DataBadge";
import { backPath, catalogPath } from "@/features/catalog/filters";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { resourceQuery } from "@/features/catalog/queries";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { useStar } from "@/features/catalog/useStar";
import { useAuth } from "@/features/identity/useAuth";
import { isId } from "@/lib/ids";
import { elsewhere, webAddress } from "@/lib/links";
import { BackLink } from "@/ui/BackLink";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Navigate, useLocation, useNavigate, useParams, useSearchParams } from "@/ui/router";
import { useNear } from "@/ui/useNear";
import { WrittenText } from "@/ui/WrittenText";
import { archiveAddress } from "./files/archiveAddress";
import { pictureAddress } from "./pictureAddress";
import { ResourceActions } from "./ResourceActions";
import { ResourceFacts } from "./ResourceFacts";
import { resourcePageMessages as messages } from "./ResourcePage.messages";
import styles from "./ResourcePage.module.css";
import { ResourceTags } from "./ResourceTags";
import { ResourceUse } from "./ResourceUse";

const DownloadEntry = lazy(async () => ({ default: (await import("./DownloadEntry")).DownloadEntry }));

const DeleteResource = lazy(async () => ({
  default: (await import("@/features/catalog/DeleteResource")).DeleteResource,
}));

const ClosedEntry = lazy(async () => ({ default: (await import("./ClosedEntry")).ClosedEntry }));

const PrivateLabel = lazy(async () => ({ default: (await import("./PrivateLabel")).PrivateLabel }));

const ResourceNotFound = lazy(async () => ({ default: (await import("./ResourceNotFound")).ResourceNotFound }));

const Related = lazy(async () => ({ default: (await import("./Related")).Related }));

const FairScore = lazy(async () => ({ default: (await import("./FairScore")).FairScore }));

const EntryRun = lazy(async () => ({ default: (await import("./runs/EntryRun")).EntryRun }));

const Runs = lazy(async () => ({ default: (await import("./runs/Runs")).Runs }));

const CreateFromModel = lazy(async () => ({ default: (await import("./UseModel")).CreateFromModel }));

const EntryNotices = lazy(async () => ({ default: (await import("./EntryNotices")).EntryNotices }));

/** The ids of the headings on the page. */
function partsOf({ type, dataMissing }: Resource): (keyof typeof messages.partNames)[] {
  if (type === "NOTEBOOK") return ["about", "notebook", "runs"];
  if (type === "REPOSITORY") return ["about", "files", "use", "runs"];
  if (type === "MODEL") return ["about", "use"];
  return dataMissing ? ["about", "files"] : ["about", "files", "use"];
}

/** Whether there is a file of it, or one of all its files. Who may have it is known later. */
function canBeDownloaded({ type, dataMissing, datasetUrl, repositoryUrl }: Resource): boolean {
  if (type === "DATASET") return !dataMissing && !webAddress(datasetUrl);
  return type === "NOTEBOOK" || archiveAddress(repositoryUrl) !== undefined;
}

interface ResourcePageProps {
  /** Renders the versions of the resource, and the list of projects that use it. */
  more: (resource: Resource) => ReactNode;
  /** Renders the button that runs the resource. */
  run: (resource: Resource) => ReactNode;
  /** Renders what sessions of the resource would leave out. */
  notInstalled: (resource: Resource) => ReactNode;
  /** Renders the button with which authors sync the entry of a repository. */
  sync: (resource: Resource) => ReactNode;
  /** Renders the offer to publish an entry whose repository everybody can read by now. */
  publish: (resource: Resource) => ReactNode;
  /** Renders the browser of a repository's files. */
  files: (resource: Resource) => ReactNode;
}

/** What an older version of an entry is for its readers: it isn't changed. */
function readOnly(resource: Resource): Resource {
  const { entryVersion: version } = resource;
  if (!version || version.number === version.latest) return resource;
  return { ...resource, canDelete: false, canEdit: false, canSync: false };
}

/** One entry of the catalog. */
export function ResourcePage(parts: ResourcePageProps) {
  const { type = "", id = "" } = useParams();
  const [params] = useSearchParams();
  const version = params.get("version") || undefined;
  const { state } = useAuth();
  const { data, error, refetch, isFetching } = useQuery({
    ...resourceQuery(id, state === "authenticated", version),
    enabled: state !== "loading" && isId(id),
  });
  useFirstHead(id);
  const from = params.get("from");

  const back = <BackLink to={backPath(from)} />;

  if (!isId(id) || (error && (isNotFound(error) || hasCode(error, "version_withdrawn"))))
    return (
      <Suspense fallback={<Waiting back={back} />}>
        <ResourceNotFound id={id} error={error} version={version} back={back} />
      </Suspense>
    );
  if (error && !data) {
    return (
      <Page title={messages.waitingTitle} above={back}>
        <ErrorState
          title={messages.failure}
          message={messageOf(error)}
          onRetry={() => refetch()}
          retrying={isFetching}
        />
      </Page>
    );
  }
  if (!data) return <Waiting back={back} />;
  if (kindOf(data.type).path !== type) return <Navigate to={resourcePath(data, from ?? undefined)} replace />;
  if (data.closed)
    return (
      <Suspense fallback={<Waiting back={back} />}>
        <ClosedEntry resource={data} closed={data.closed} back={back} />
      </Suspense>
    );
  return <Found whole={data} version={version} back={back} {...parts} />;
}

interface FoundProps extends ResourcePageProps {
  /** With what can be done with its latest version. */
  whole: Resource;
  version: Version;
  back: ReactNode;
}

function Found({ whole, version, back, more, run, notInstalled, sync, publish, files }: FoundProps) {
  const resource = readOnly(whole);
  const { id, name, type, privacy, tags, description, canDelete, canEdit } = resource;
  const star = useStar(resource);
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const parts = partsOf(resource);
  const runs = parts.includes("runs");
  const repository = elsewhere(webAddress(resource.repositoryUrl));
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          {back}
          <div className={styles.labels}>
            <TypeBadge type={type} />
            {repository && <span className={styles.host}>{new URL(repository).host}</span>}
            <DataBadge resource={resource} />
            {privacy === "PRIVATE" && (
              <Suspense>
                <PrivateLabel resource={resource} />
              </Suspense>
            )}
            {runs && (
              <div className={styles.run}>
                <Suspense>
                  <EntryRun resource={resource} />
                </Suspense>
              </div>
            )}
          </div>
        </>
      }
    >
      <ResourceActions
        resource={resource}
        run={
          type === "MODEL" ? (
            <Suspense fallback={<Skeleton width="16rem" height="40px" />}>
              <CreateFromModel model={resource} />
            </Suspense>
          ) : (
            run(resource)
          )
        }
        download={
          canBeDownloaded(resource) && (
            <Suspense
              fallback={
                <Button busy>
                  <Icon name="download" />
                  {messages.download}
                </Button>
              }
            >
              <DownloadEntry resource={resource} />
            </Suspense>
          )
        }
      >
        <Button onClick={star.toggle}>
          <Icon name="star" filled={star.starred} />
          {star.label}
          {resource.starCount > 0 && <span className={styles.stars}>{resource.starCount}</span>}
        </Button>
        {canEdit && (
          <LinkButton to={`${resourcePath(resource)}/edit`}>
            <Icon name="edit" />
            {messages.edit}
          </LinkButton>
        )}
        {sync(resource)}
        {canDelete && (
          <Button variant="quiet" onClick={() => setDeleting(true)}>
            <Icon name="trash" />
            {messages.delete}
          </Button>
        )}
      </ResourceActions>
      {(resource.canCurate ||
        resource.hidden ||
        resource.namedBy ||
        privacy === "PRIVATE" ||
        resource.entryVersion ||
        resource.status !== "NONE") && (
        <Suspense>
          <EntryNotices resource={resource}>{publish(resource)}</EntryNotices>
        </Suspense>
      )}
      <ResourceTags tags={tags} />
      <nav className={styles.parts} aria-label={messages.parts}>
        {parts.map((part) => (
          <a key={part} href={`#${part}`}>
            {messages.partNames[part]}
          </a>
        ))}
      </nav>
      <div className={styles.columns}>
        <aside className={styles.facts} aria-label={messages.facts}>
          <ResourceFacts resource={resource}>{notInstalled(resource)}</ResourceFacts>
        </aside>
        <div className={styles.main}>
          {/* A dataset's plot is in its preview. */}
          {resource.coverKind !== "drawing" && !(type === "DATASET" && resource.coverKind === "column") && (
            <Cover resource={resource} className={styles.picture} />
          )}
          <section aria-labelledby="about" className={styles.section}>
            <h2 id="about">{messages.about}</h2>
            {description.trim() === "" ? (
              <p className={styles.none}>{messages.noDescription}</p>
            ) : (
              <WrittenText
                text={description}
                picture={(address) =>
                  webAddress(address) ? pictureAddress(resource, { address }, version) : undefined
                }
              />
            )}
          </section>
          {type === "REPOSITORY" && files(resource)}
          <ResourceUse resource={resource} />
          {runs && (
            <section aria-labelledby="runs" className={styles.section}>
              <h2 id="runs">{messages.partNames.runs}</h2>
              <WhenNear anchor="runs">
                <Runs key={id} resource={resource} />
              </WhenNear>
            </section>
          )}
          {more(whole)}
          {(canDelete || resource.canCurate) && resource === whole && privacy === "PUBLIC" && !resource.hidden && (
            <WhenNear>
              <FairScore resource={resource} />
            </WhenNear>
          )}
          <WhenNear>
            <Related id={id} />
          </WhenNear>
        </div>
      </div>
      {deleting && (
        <Suspense>
          <DeleteResource
            resource={resource}
            onClose={() => setDeleting(false)}
            onDeleted={() => navigate(catalogPath(), { replace: true })}
          />
        </Suspense>
      )}
    </Page>
  );
}

interface WhenNearProps {
  /** The fragment that leads to it, wherever the window is when the content above it has arrived. */
  anchor?: string;
  children: ReactNode;
}

/** What nobody waits for, unless the address leads there. */
function WhenNear({ anchor, children }: WhenNearProps) {
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place, 400);
  const { hash } = useLocation();
  const wanted = near || (anchor !== undefined && hash === `#${anchor}`);
  return <div ref={place}>{wanted && <Suspense>{children}</Suspense>}</div>;
}

/**
 * Removes the document's tags about an entry when the entry is left, because browsers share the canonical address in
 * them.
 */
function useFirstHead(id: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes with the entry.
  useEffect(
    () => () => {
      for (const element of document.head.querySelectorAll("[data-entry]")) element.remove();
    },
    [id],
  );
}

function Waiting({ back }: { back: ReactNode }) {
  return (
    <Page
      title={messages.waitingTitle}
      heading={
        <>
          <span className="visually-hidden">{messages.waitingTitle}</span>
          <Skeleton width="min(18rem, 70vw)" />
        </>
      }
      above={
        <>
          {back}
          <Skeleton width="84px" height="24px" />
        </>
      }
    >
      <div className={styles.waitingActions}>
        <Skeleton height="40px" />
      </div>
      <div className={styles.waitingTags}>
        <Skeleton width="12rem" height="29px" />
      </div>
      <SkeletonPlace label={messages.loading} className={styles.columns}>
        <div className={styles.facts}>
          <Skeleton height="46px" />
        </div>
        <div className={styles.waiting}>
          <Skeleton width="30%" height="24px" />
          <Skeleton />
          <Skeleton />
          <Skeleton width="70%" />
          <Skeleton height="8em" />
        </div>
      </SkeletonPlace>
    </Page>
  );
}
