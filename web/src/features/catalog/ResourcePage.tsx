import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, Navigate, useNavigate, useParams, useSearchParams } from "react-router";
import { isNotFound, messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Tooltip } from "@/ui/Tooltip";
import { toast } from "@/ui/toast";
import { backPath, catalogPath } from "./filters";
import { kindOf, resourcePath } from "./kinds";
import { resourceQuery } from "./queries";
import { ResourceFacts } from "./ResourceFacts";
import styles from "./ResourcePage.module.css";
import { ResourceUse } from "./ResourceUse";
import { TypeBadge } from "./TypeBadge";
import { useStar } from "./useStar";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));
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
  const { data, error, refetch } = useQuery({ ...resourceQuery(id), enabled: state !== "loading" });
  const from = params.get("from");

  const back = (
    <Link to={backPath(from)} className={styles.back}>
      <Icon name="arrowLeft" />
      Back
    </Link>
  );

  if (error && isNotFound(error)) return <NotFound id={id} back={back} />;
  if (error) {
    return (
      <Page title="Resource" above={back}>
        <ErrorState title="The resource could not be read." message={messageOf(error)} onRetry={() => refetch()} />
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
      above={
        <>
          {back}
          <div className={styles.labels}>
            <TypeBadge type={type} />
            {privacy === "PRIVATE" && (
              <Tooltip text={privateText}>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the explanation. */}
                <span tabIndex={0} role="img" aria-label="Private" className={styles.lock}>
                  <Icon name="lock" />
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
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag.id}>
              <Link to={catalogPath({ tags: [tag.value] })}>{tag.value}</Link>
            </li>
          ))}
        </ul>
      )}
      <div className={styles.columns}>
        <ResourceFacts resource={resource} />
        <div className={styles.main}>
          <section aria-labelledby="about" className={styles.section}>
            <h2 id="about">About</h2>
            {description.trim() === "" ? (
              <p className={styles.none}>There is no description.</p>
            ) : (
              <Suspense fallback={<Skeleton height="6em" />}>
                <Markdown text={description} />
              </Suspense>
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

function Waiting({ back }: { back: ReactNode }) {
  return (
    <Page title="Resource" heading={<Skeleton width="18rem" />} above={back}>
      <div role="status" className={styles.waiting}>
        <span className="visually-hidden">Loading the resource</span>
        <Skeleton width="30%" />
        <Skeleton height="8em" />
        <Skeleton height="4em" />
      </div>
    </Page>
  );
}

function NotFound({ id, back }: { id: string; back: ReactNode }) {
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
        <p>If it is private, sign in as one of its authors.</p>
      </Empty>
    </Page>
  );
}
