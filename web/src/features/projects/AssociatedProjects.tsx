import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useId } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { ErrorState } from "@/ui/ErrorState";
import { associatedProjectsMessages as messages } from "./AssociatedProjects.messages";
import styles from "./AssociatedProjects.module.css";
import { associatedProjectsQuery } from "./queries";
import { useStart } from "./useStart";

const ProjectGrid = lazy(async () => ({ default: (await import("./ProjectGrid")).ProjectGrid }));

interface AssociatedProjectsProps {
  resourceId: string;
  /** Asks for the name of a new session of the project, and starts it. */
  onStart: (project: Project) => void;
}

/** The projects that a resource is part of, for its detail page. Renders nothing if there are none. */
export function AssociatedProjects({ resourceId, onStart }: AssociatedProjectsProps) {
  const { data, error, isFetching, refetch } = useQuery(associatedProjectsQuery(resourceId));
  const start = useStart(onStart);
  const heading = useId();
  if (!data?.length && !(error && !data)) {
    return null;
  }
  return (
    <section id="projects" className={styles.section} aria-labelledby={heading}>
      <h2 id={heading}>{messages.title}</h2>
      {data ? (
        <Suspense>
          <ProjectGrid projects={data} onStart={start} />
        </Suspense>
      ) : (
        <ErrorState
          title={messages.cannotLoad}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
    </section>
  );
}
