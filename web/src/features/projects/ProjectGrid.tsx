import type { Project } from "@/api/types";
import { ProjectCard } from "./ProjectCard";
import styles from "./ProjectGrid.module.css";

interface ProjectGridProps {
  projects: Project[];
  onStart: (project: Project) => void;
}

export function ProjectGrid({ projects, onStart }: ProjectGridProps) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
    <ul role="list" className={styles.grid}>
      {projects.map((project) => (
        <li key={project.id}>
          <ProjectCard project={project} onStart={() => onStart(project)} />
        </li>
      ))}
    </ul>
  );
}
