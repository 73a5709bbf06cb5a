import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { isOwner } from "./isOwner";
import { ProjectCard } from "./ProjectCard";
import styles from "./ProjectGrid.module.css";
import { useDeleteProject } from "./useDeleteProject";

interface ProjectGridProps {
  projects: Project[];
  onStart: (project: Project) => void;
}

/** Cards of projects; their owners may delete them here. */
export function ProjectGrid({ projects, onStart }: ProjectGridProps) {
  const { user } = useAuth();
  const { mutate: deleteProject } = useDeleteProject();
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
    <ul role="list" className={styles.grid}>
      {projects.map((project) => (
        <li key={project.id}>
          <ProjectCard
            project={project}
            onStart={() => onStart(project)}
            {...(isOwner(user, project) && { onDelete: () => deleteProject(project.id) })}
          />
        </li>
      ))}
    </ul>
  );
}
