import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { LinkButton } from "@/ui/Button";
import { CardSkeletons } from "@/ui/CardSkeletons";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { myProjectsMessages as messages } from "./messages";
import { ProjectGrid } from "./ProjectGrid";
import styles from "./ProjectGrid.module.css";
import { projectsQuery } from "./queries";
import { useStart } from "./useStart";

interface MyProjectsProps {
  /** Asks for the name of a new session of the project, and starts it. */
  onStart: (project: Project) => void;
}

/** The projects of whoever is signed in, for the dashboard. */
export function MyProjects({ onStart }: MyProjectsProps) {
  const { state } = useAuth();
  const projects = useQuery({ ...projectsQuery, enabled: state === "authenticated" });
  const start = useStart(projects.data, onStart);

  if (projects.data) {
    return projects.data.length > 0 ? (
      <ProjectGrid projects={projects.data} onStart={start} />
    ) : (
      <Empty
        title={messages.none}
        action={
          <LinkButton to="/add/project" variant="primary">
            {messages.add}
          </LinkButton>
        }
      >
        <p>{messages.whatItIs}</p>
      </Empty>
    );
  }
  return projects.error ? (
    <ErrorState
      title={messages.cannotLoad}
      message={messageOf(projects.error)}
      onRetry={() => void projects.refetch()}
    />
  ) : (
    <CardSkeletons label={messages.loading} className={styles.grid} />
  );
}
