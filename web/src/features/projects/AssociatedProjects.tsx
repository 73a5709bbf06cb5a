import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { Project } from "@/api/types";
import styles from "./AssociatedProjects.module.css";
import { associatedProjectsMessages as messages } from "./messages";
import { ProjectGrid } from "./ProjectGrid";
import { associatedProjectsQuery } from "./queries";
import { useStart } from "./useStart";

interface AssociatedProjectsProps {
  resourceId: string;
  /** Asks for the name of a new session of the project, and starts it. */
  onStart: (project: Project) => void;
}

/** The projects that a resource is part of, for its detail page. Nothing when there are none, or they cannot be had. */
export function AssociatedProjects({ resourceId, onStart }: AssociatedProjectsProps) {
  const { data } = useQuery(associatedProjectsQuery(resourceId));
  const start = useStart(data, onStart);
  const heading = useId();
  if (!data?.length) {
    return null;
  }
  return (
    <section className={styles.section} aria-labelledby={heading}>
      <h2 id={heading}>{messages.title}</h2>
      <ProjectGrid projects={data} onStart={start} />
    </section>
  );
}
