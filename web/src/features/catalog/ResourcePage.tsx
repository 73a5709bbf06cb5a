import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, Navigate, useLocation, useNavigate, useParams, useSearchParams } from "react-router";
import { isNotFound, messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { isId } from "@/lib/ids";
import { loginPath } from "@/lib/links";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
// Not by itself later: the text would push down what is below it.
import { Markdown } from "@/ui/Markdown";
import { Page } from "@/ui/Page";
import { Tooltip } from "@/ui/Tooltip";
import { toast } from "@/ui/toast";
import { backPath, catalogPath } from "./filters";
import { HeaderImage } from "./HeaderImage";
import { kindOf, resourcePath } from "./kinds";
import { resourceQuery } from "./queries";
import { ResourceActions } from "./ResourceActions";
import { ResourceFacts } from "./ResourceFacts";
import styles from "./ResourcePage.module.css";
import { ResourceTags } from "./ResourceTags";
import { ResourceUse } from "./ResourceUse";
import { TypeBadge } from "./TypeBadge";
import { useStar } from "./useStar";

const DeleteResource = lazy(async () => ({ default: (await import("./DeleteResource")).DeleteResource }));
const privateText = "This resource is private and can only be seen by the resource's authors";

interface ResourcePageProps {
  /** Makes the list of projects that use the resource. */
  projects: (resourceId: string) => ReactNode;
  /** Makes the browser of a repository's files. */
  files: (resource: Resource) => ReactNode;
}

/** One entry of the catalog. */
export function ResourcePage({ projects, files }: ResourcePageProps) {
  const { type = "", id = "" } = useParams();
  const [params] = useSearchParams();
  const { state } = useAuth();
  const { data, error, refetch, isFetching } = useQuery({
    ...resourceQuery(id, state === "authenticated"),
    enabled: state !== "loading" && isId(id),
  });
  useFirstHead(id);
  const from = params.get("from");

  const back = (
    <Link to={backPath(from)} className={styles.back}>
      <Icon name="arrowLeft" />
      Back
    </Link>
  );

  if (!isId(id) || (error && isNotFound(error))) return <NotFound id={id} back={back} />;
  if (error && !data) {
    return (
      <Page title="Resource" above={back}>
        <ErrorState
          title="The resource could not be read."
          message={messageOf(error)}
          onRetry={() => refetch()}
          retrying={isFetching}
        />
      </Page>
    );
  }
  if (!data) return <Waiting back={back} />;
  if (kindOf(data.type).path !== type) return <Navigate to={resourcePath(data, from ?? undefined)} replace />;
  return <Found resource={data} back={back} projects={projects} files={files} />;
}

function Found({ resource, back, projects, files }: { resource: Resource; back: ReactNode } & ResourcePageProps) {
  const { id, name, type, privacy, tags, description, canDelete, canEdit } = resource;
  const star = useStar(resource);
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          {back}
          <div className={styles.labels}>
            <TypeBadge type={type} />
            {privacy === "PRIVATE" && (
              <Tooltip text={privateText}>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the explanation. */}
                <span tabIndex={0} role="img" aria-label="Private" className={styles.lock}>
                  <Icon name="lock" size={16} />
                  Private
                </span>
              </Tooltip>
            )}
          </div>
        </>
      }
      actions={
        <>
          <Button onClick={star.toggle}>
            <Icon name="star" filled={star.starred} />
            {star.label}
            <span className={styles.stars}>{resource.starCount}</span>
          </Button>
          {canEdit && (
            <LinkButton to={`${resourcePath(resource)}/edit`}>
              <Icon name="edit" />
              Edit
            </LinkButton>
          )}
          {canDelete && (
            <Button onClick={() => setDeleting(true)}>
              <Icon name="trash" />
              Delete
            </Button>
          )}
        </>
      }
    >
      <ResourceTags tags={tags} />
      <div className={styles.columns}>
        <aside className={styles.facts} aria-label="Facts">
          <ResourceActions resource={resource} />
          <ResourceFacts resource={resource} />
        </aside>
        <div className={styles.main}>
          <HeaderImage resource={resource} className={styles.picture} />
          <section aria-labelledby="about" className={styles.section}>
            <h2 id="about">About</h2>
            {description.trim() === "" ? (
              <p className={styles.none}>There is no description.</p>
            ) : (
              <Markdown text={description} />
            )}
          </section>
          <ResourceUse resource={resource} />
          {type === "REPOSITORY" && files(resource)}
          {(type === "REPOSITORY" || type === "DATASET") && projects(id)}
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

/**
 * What the document says of an entry in its head is true as long as that entry is shown: browsers share the address
 * that stands there.
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
    <Page title="Resource" heading={<Skeleton width="18rem" />} above={back}>
      <div role="status" className={styles.columns}>
        <span className="visually-hidden">Loading the resource</span>
        <div className={styles.facts}>
          <Skeleton height="40px" />
          <Skeleton height="12em" />
        </div>
        <div className={styles.waiting}>
          <Skeleton width="30%" height="24px" />
          <Skeleton />
          <Skeleton />
          <Skeleton width="70%" />
          <Skeleton height="8em" />
        </div>
      </div>
    </Page>
  );
}

function NotFound({ id, back }: { id: string; back: ReactNode }) {
  const { state } = useAuth();
  const here = useLocation();
  useEffect(() => {
    toast.error("Resource not found", id);
  }, [id]);
  return (
    <Page title="Resource not found" above={back}>
      <Empty
        title="There is no such resource, or you may not see it."
        action={<LinkButton to={catalogPath()}>Browse the catalog</LinkButton>}
      >
        <p className={styles.id}>{id}</p>
        {state === "authenticated" ? (
          <p>If it is private, only its authors see it.</p>
        ) : (
          <p>
            If it is private, <Link to={loginPath(here)}>sign in</Link> as one of its authors.
          </p>
        )}
      </Empty>
    </Page>
  );
}
