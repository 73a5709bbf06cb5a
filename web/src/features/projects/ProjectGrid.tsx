import type { ReactNode } from "react";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Cards } from "@/ui/Cards";
import { useFocusAfterRemoval } from "@/ui/useFocusAfterRemoval";
import { ProjectCard } from "./ProjectCard";
import styles from "./ProjectGrid.module.css";
import { roleOf } from "./role";
import { useDeleteProject } from "./useDeleteProject";

interface ProjectGridProps {
  projects: Project[];
  onStart: (project: Project) => void;
  /** What a card says below the name. */
  note?: (project: Project) => ReactNode;
}

/** Cards of projects. Rendered even if empty, because it gets the focus after the last one is deleted. */
export function ProjectGrid({ projects, onStart, note }: ProjectGridProps) {
  const { user } = useAuth();
  const { mutate: deleteProject } = useDeleteProject();
  const { around, leaves } = useFocusAfterRemoval(projects.map(({ id }) => id));
  return (
    <div ref={around} tabIndex={-1} className={styles.around}>
      {projects.length > 0 && (
        <Cards>
          {projects.map((project) => (
            <li key={project.id}>
              <ProjectCard
                project={project}
                onStart={() => onStart(project)}
                note={note?.(project)}
                {...(roleOf(user, project) === "owner" && {
                  onDelete: () => {
                    leaves(project.id);
                    deleteProject(project.id);
                  },
                })}
              />
            </li>
          ))}
        </Cards>
      )}
    </div>
  );
}
