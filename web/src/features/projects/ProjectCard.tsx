import { lazy, Suspense, useContext, useId, useState } from "react";
import { useConfig } from "@/api/config";
import type { Project, Resource } from "@/api/types";
import { day } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Icon, type IconName } from "@/ui/Icon";
import { Menu, type MenuItem } from "@/ui/Menu";
import { Note } from "@/ui/Note";
import { Link } from "@/ui/router";
import { RunContext } from "@/ui/run";
import { projectCardMessages as messages } from "./ProjectCard.messages";
import styles from "./ProjectCard.module.css";
import { startMessages } from "./start.messages";

const ShareDialog = lazy(async () => ({ default: (await import("@/ui/ShareDialog")).ShareDialog }));

interface ProjectCardProps {
  project: Project;
  onStart: () => void;
  /** For its owner only. */
  onDelete?: () => void;
}

/** A project: its repository, its datasets, and the button that starts a session. */
export function ProjectCard({ project, onStart, onDelete }: ProjectCardProps) {
  const {
    id,
    name,
    repositoryResource: repository,
    datasetResources: datasets,
    published,
    available,
    createdAt,
  } = project;
  // Only people who may see a part see its name.
  const hidden = published
    ? [repository, ...datasets].filter((part) => !isGone(part) && part.privacy === "PRIVATE")
    : [];
  const heading = useId();
  const { product } = useConfig();
  const run = useContext(RunContext);
  const [confirming, setConfirming] = useState(false);
  const [sharing, setSharing] = useState(false);
  const actions: MenuItem[] = [];
  if (available)
    actions.push({ label: messages.run, icon: "play", onSelect: () => void run({ id, name, of: "project" }) });
  if (published) actions.push({ label: messages.share, icon: "link", onSelect: () => setSharing(true) });
  return (
    <Card tabIndex={-1} aria-labelledby={heading}>
      <div className={styles.label}>
        <div className={styles.head}>
          <h3 id={heading} className={styles.name} title={name}>
            {name}
          </h3>
          {actions.length > 0 && (
            <Menu label={messages.actions(name)} items={actions}>
              <Icon name="more" />
            </Menu>
          )}
          {onDelete && (
            <Button
              className={styles.delete}
              variant="quiet"
              size="small"
              aria-label={messages.delete(name)}
              onClick={() => setConfirming(true)}
            >
              <Icon name="trash" size={16} />
            </Button>
          )}
        </div>
        <div className={styles.body}>
          <ul className={styles.parts} aria-label={messages.parts(name)}>
            <ProjectPart part={repository} icon="branch" path="repositories" />
            {datasets.map((dataset) => (
              <ProjectPart key={dataset.id} part={dataset} icon="database" path="datasets" />
            ))}
          </ul>
          {hidden.length > 0 && <Note kind="info">{messages.othersCannotStart(hidden.map((part) => part.name))}</Note>}
        </div>
        <div className={styles.foot}>
          <p className={styles.added}>
            {published && onDelete && <Badge tone="grey">{messages.published}</Badge>}
            <time dateTime={createdAt}>{messages.added(day(createdAt))}</time>
          </p>
          <Button
            variant="primary"
            size="small"
            onClick={onStart}
            aria-describedby={heading}
            unavailable={whyNot(project)}
          >
            <Icon name="play" size={16} /> {startMessages.start}
          </Button>
        </div>
      </div>
      {sharing && (
        <Suspense>
          <ShareDialog
            title={messages.shareTitle}
            product={product}
            thing={{
              id,
              runnable: true,
              hasBadge: false,
              isPrivate: false,
              source: repository.repositoryUrl,
              hasFiles: true,
            }}
            onClose={() => setSharing(false)}
          />
        </Suspense>
      )}
      {confirming && onDelete && (
        <ConfirmByName
          title={messages.deleteTitle}
          name={name}
          onConfirm={() => {
            setConfirming(false);
            onDelete();
          }}
          onClose={() => setConfirming(false)}
        >
          {messages.deleteMeans}
        </ConfirmByName>
      )}
    </Card>
  );
}

interface ProjectPartProps {
  part: Resource;
  icon: IconName;
  /** Of its kind's pages. */
  path: string;
}

function ProjectPart({ part, icon, path }: ProjectPartProps) {
  return (
    <li>
      <Icon name={icon} size={16} />
      {isGone(part) ? (
        <span className={styles.gone} title={messages.gone}>
          {part.name}
        </span>
      ) : (
        <Link to={`/resources/${path}/${part.id}`}>{part.name}</Link>
      )}
    </li>
  );
}

/** The server's placeholder for an entry that is deleted or hidden, without saying which. */
const isGone = (part: Resource): boolean => part.state === "DELETED";

/** Why a project can't be started, if so. */
function whyNot({ available, repositoryResource, datasetResources }: Project): string | undefined {
  if (available) return undefined;
  return messages.unavailable(isGone(repositoryResource), datasetResources.filter(isGone).length);
}
