import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { Project, Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { day } from "@/lib/format";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Icon, type IconName } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Note } from "@/ui/Note";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { Link, useNavigate, useParams } from "@/ui/router";
import { membersQuery } from "./membersQuery";
import { projectPageMessages as messages } from "./ProjectPage.messages";
import styles from "./ProjectPage.module.css";
import { isGone, warning, whyNot } from "./parts";
import { partsMessages } from "./parts.messages";
import { projectPath } from "./projectPath";
import { projectQuery } from "./queries";
import { isOffered, mayChange, roleOf } from "./role";
import { useDeleteProject } from "./useDeleteProject";

const ShareProject = lazy(async () => ({ default: (await import("./ShareProject")).ShareProject }));
const DeleteProject = lazy(async () => ({ default: (await import("./DeleteProject")).DeleteProject }));
const Members = lazy(async () => ({ default: (await import("./Members")).Members }));
const Offer = lazy(async () => ({ default: (await import("./Offer")).Offer }));

interface ProjectPageProps {
  /** Renders the button that runs the project, or the reason why it can't run. */
  run: (project: Project, note: string | undefined) => ReactNode;
  /** Renders the sessions that the visitor started from the project. */
  sessions: (projectId: string) => ReactNode;
}

/** A project: what it consists of, who may start it, and what its owner and its members can do with it. */
export function ProjectPage(slots: ProjectPageProps) {
  const { id = "" } = useParams();
  const { state } = useAuth();
  const { data, error, refetch, isFetching } = useQuery({
    ...projectQuery(id),
    enabled: state !== "loading" && isId(id),
  });
  if (!isId(id) || isNotFound(error)) {
    return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={state !== "authenticated"} />;
  }
  if (data) return <Found project={data} {...slots} />;
  if (error) {
    return (
      <Page title={messages.window}>
        <ErrorState
          title={messages.failure}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      </Page>
    );
  }
  return <Waiting />;
}

function Found({ project, run, sessions }: ProjectPageProps & { project: Project }) {
  const { id, name, published, repositoryResource: repository, datasetResources: datasets } = project;
  const { user } = useAuth();
  const role = roleOf(user, project);
  const own = role === "owner";
  const offered = isOffered(user, project);
  const { data: members } = useQuery({ ...membersQuery(id), enabled: role !== undefined });
  const shared = role ? !own || (members?.length ?? 0) > 0 : offered;
  const navigate = useNavigate();
  const { mutate: deleteProject } = useDeleteProject();
  const [open, setOpen] = useState<"share" | "delete">();
  const close = () => setOpen(undefined);
  const others = warning(project);
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          <BackLink to={role || offered ? "/sessions" : "/resources"} />
          <p className={styles.labels}>
            <Badge tone="grey">{messages.window}</Badge>
            {(role || offered) && (
              <Badge tone={published ? "green" : "grey"}>{published ? messages.published : messages.private}</Badge>
            )}
          </p>
        </>
      }
    >
      {offered && (
        <Suspense>
          <Offer project={project} />
        </Suspense>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div className={styles.actions} role="group" aria-label={messages.actions}>
        {run(project, whyNot(project))}
        {whyNot(project) === undefined && <LinkButton to={`/jobs/new?project=${id}`}>{messages.runWith}</LinkButton>}
        {published && (
          <Button onClick={() => setOpen("share")}>
            <Icon name="link" />
            {messages.share}
          </Button>
        )}
        {mayChange(role) && (
          <LinkButton to={`${projectPath(project)}/edit`}>
            <Icon name="edit" />
            {messages.edit}
          </LinkButton>
        )}
        {own && (
          <Button onClick={() => setOpen("delete")}>
            <Icon name="trash" />
            {messages.delete}
          </Button>
        )}
      </div>
      <div className={styles.columns}>
        <aside className={styles.facts} aria-label={messages.facts}>
          {others !== undefined && <Note kind="info">{others}</Note>}
          <Facts project={project} shared={shared} />
        </aside>
        <div className={styles.main}>
          <section className={styles.section} aria-labelledby="repository">
            <h2 id="repository">{messages.repository}</h2>
            <Parts parts={[repository]} icon="branch" path="repositories" />
          </section>
          <section className={styles.section} aria-labelledby="datasets">
            <h2 id="datasets">{messages.datasets}</h2>
            {datasets.length > 0 ? (
              <Parts parts={datasets} icon="database" path="datasets" />
            ) : (
              <p className={styles.quiet}>{messages.noDatasets}</p>
            )}
          </section>
          {sessions(id)}
          {role && (
            <Suspense>
              <Members project={project} role={role} />
            </Suspense>
          )}
        </div>
      </div>
      <Suspense>
        {open === "share" && <ShareProject project={project} onClose={close} />}
        {open === "delete" && (
          <DeleteProject
            name={name}
            shared={shared}
            onClose={close}
            onConfirm={() => {
              deleteProject(id);
              navigate("/sessions", { replace: true });
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}

function Facts({ project, shared }: { project: Project; shared: boolean }) {
  const { ownerId, published, createdAt, updatedAt } = project;
  const { user } = useAuth(); // visitors don't see whole addresses
  const facts: [name: string, value: ReactNode][] = [
    [messages.owner, <bdi key="owner">{user ? ownerId : ownerId.replace(/@.*/, "@…")}</bdi>],
    [messages.startedBy, published ? messages.everybody : shared ? messages.onlyMembers : messages.onlyYou],
    [messages.added, <Day key="added" moment={createdAt} />],
  ];
  if (updatedAt !== createdAt) facts.push([messages.changed, <Day key="changed" moment={updatedAt} />]);
  return (
    <dl className={styles.list}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Day({ moment }: { moment: string }) {
  return <time dateTime={moment}>{day(moment)}</time>;
}

interface PartsProps {
  parts: Resource[];
  icon: IconName;
  /** Of their kind's pages. */
  path: string;
}

function Parts({ parts, icon, path }: PartsProps) {
  return (
    <ul className={styles.parts}>
      {parts.map((part) => (
        <li key={part.id}>
          <Icon name={icon} />
          <div>
            {isGone(part) ? (
              <span className={styles.gone}>{part.name}</span>
            ) : (
              <Link to={`/resources/${path}/${part.id}`}>
                <bdi>{part.name}</bdi>
              </Link>
            )}
            <p className={styles.quiet}>{isGone(part) ? partsMessages.gone : part.authorNames?.join(", ")}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Waiting() {
  return (
    <Page
      title={messages.window}
      heading={
        <>
          <span className="visually-hidden">{messages.window}</span>
          <Skeleton width="min(18rem, 70vw)" />
        </>
      }
    >
      <SkeletonPlace label={messages.loading} className={styles.columns}>
        <div className={styles.facts}>
          <Skeleton height="40px" />
          <Skeleton height="8rem" />
        </div>
        <div className={styles.main}>
          <Skeleton width="30%" height="24px" />
          <Skeleton height="4em" />
          <Skeleton width="30%" height="24px" />
          <Skeleton height="8em" />
        </div>
      </SkeletonPlace>
    </Page>
  );
}
