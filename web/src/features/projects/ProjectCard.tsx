import { useId, useState } from "react";
import { Link } from "react-router";
import type { Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { Icon } from "@/ui/Icon";
import styles from "./ProjectCard.module.css";

interface ProjectCardProps {
  project: Project;
  onStart: () => void;
  /** For its owner alone. */
  onDelete?: () => void;
}

/** A project: its repository, its datasets, and the button that starts a session of it. */
export function ProjectCard({ project, onStart, onDelete }: ProjectCardProps) {
  const { name, repositoryResource: repository, datasetResources: datasets, available } = project;
  const heading = useId();
  const [confirming, setConfirming] = useState(false);
  return (
    <Card aria-labelledby={heading}>
      <div className={styles.body}>
        <div className={styles.head}>
          <h3 id={heading} className={styles.name} title={name}>
            {name}
          </h3>
          {onDelete && (
            <Button
              className={styles.delete}
              variant="quiet"
              size="small"
              aria-label={`Delete project ${name}`}
              onClick={() => setConfirming(true)}
            >
              <Icon name="trash" size={16} />
            </Button>
          )}
        </div>
        <ul className={styles.parts} aria-label={`Parts of ${name}`}>
          <li>
            <Icon name="branch" size={16} />
            <Link to={`/resources/repositories/${repository.id}`}>{repository.name}</Link>
          </li>
          {datasets.map((dataset) => (
            <li key={dataset.id}>
              <Icon name="database" size={16} />
              <Link to={`/resources/datasets/${dataset.id}`}>{dataset.name}</Link>
            </li>
          ))}
        </ul>
      </div>
      <div className={styles.foot}>
        <Button
          variant="primary"
          size="small"
          onClick={onStart}
          aria-describedby={heading}
          unavailable={available ? undefined : "A part of this project is gone, or you may not see it."}
        >
          <Icon name="play" size={16} /> Start Project Session
        </Button>
      </div>
      {confirming && onDelete && (
        <ConfirmByName
          title="Delete project"
          name={name}
          onConfirm={() => {
            setConfirming(false);
            onDelete();
          }}
          onClose={() => setConfirming(false)}
        >
          It can start no more sessions. Its sessions, its repository and its datasets stay.
        </ConfirmByName>
      )}
    </Card>
  );
}
