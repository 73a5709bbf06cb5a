import { lazy, type ReactNode, Suspense, useContext, useId, useState } from "react";
import type { Project, Resource } from "@/api/types";
import { day } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Icon, type IconName } from "@/ui/Icon";
import { Menu, type MenuItem } from "@/ui/Menu";
import { Note } from "@/ui/Note";
import { Link } from "@/ui/router";
import { RunContext } from "@/ui/run";
import { DeleteProject } from "./DeleteProject";
import { projectCardMessages as messages } from "./ProjectCard.messages";
import styles from "./ProjectCard.module.css";
import { isGone, warning, whyNot } from "./parts";
import { partsMessages } from "./parts.messages";
import { projectPath } from "./projectPath";
import { startMessages } from "./start.messages";

const ShareProject = lazy(async () => ({ default: (await import("./ShareProject")).ShareProject }));

interface ProjectCardProps {
  project: Project;
  onStart: () => void;
  /** Above its parts. */
  note?: ReactNode;
  /** For its owner only. */
  onDelete?: () => void;
}

/** A project: its repository, its datasets, and the button that starts a session. */
export function ProjectCard({ project, onStart, note, onDelete }: ProjectCardProps) {
  const {
    id,
    name,
    repositoryResource: repository,
    datasetResources: datasets,
    published,
    available,
    createdAt,
  } = project;
  const others = warning(project);
  const heading = useId();
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
            <Link to={projectPath(project)}>{name}</Link>
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
          {note}
          <ul className={styles.parts} aria-label={messages.parts(name)}>
            <ProjectPart part={repository} icon="branch" path="repositories" />
            {datasets.map((dataset) => (
              <ProjectPart key={dataset.id} part={dataset} icon="database" path="datasets" />
            ))}
          </ul>
          {others !== undefined && <Note kind="info">{others}</Note>}
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
          <ShareProject project={project} onClose={() => setSharing(false)} />
        </Suspense>
      )}
      {confirming && onDelete && (
        <DeleteProject name={name} onConfirm={onDelete} onClose={() => setConfirming(false)} />
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
        <span className={styles.gone} title={partsMessages.gone}>
          {part.name}
        </span>
      ) : (
        <Link to={`/resources/${path}/${part.id}`}>{part.name}</Link>
      )}
    </li>
  );
}
