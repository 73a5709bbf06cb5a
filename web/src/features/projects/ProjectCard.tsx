import { useId } from "react";
import { Link } from "react-router";
import type { Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import styles from "./ProjectCard.module.css";

interface ProjectCardProps {
  project: Project;
  onStart: () => void;
}

/** A project: its repository, its datasets, and the button that starts a session of it. */
export function ProjectCard({ project, onStart }: ProjectCardProps) {
  const { name, repositoryResource: repository, datasetResources: datasets, available } = project;
  const heading = useId();
  return (
    <Card aria-labelledby={heading}>
      <div className={styles.body}>
        <h3 id={heading}>{name}</h3>
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
    </Card>
  );
}
