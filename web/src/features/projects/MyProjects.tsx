import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { LinkButton } from "@/ui/Button";
import { CardSkeletons } from "@/ui/CardSkeletons";
import { cardsClass } from "@/ui/Cards";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { myProjectsMessages as messages } from "./MyProjects.messages";
import styles from "./MyProjects.module.css";
import { ProjectGrid } from "./ProjectGrid";
import page from "./ProjectPage.module.css";
import { projectsQuery } from "./queries";
import { SharedProjects } from "./SharedProjects";
import { useStart } from "./useStart";

interface MyProjectsProps {
  /** Asks for the name of a new session of the project, and starts it. */
  onStart: (project: Project) => void;
}

/** The signed-in person's projects, and those that are shared with them, for the dashboard. */
export function MyProjects({ onStart }: MyProjectsProps) {
  const { state } = useAuth();
  const { data, error, isFetching, refetch } = useQuery({ ...projectsQuery, enabled: state === "authenticated" });
  const start = useStart(onStart);
  const heading = useId();
  return (
    <div className={page.main}>
      <section className={styles.projects} aria-labelledby={heading}>
        <div className={styles.head}>
          <h2 id={heading}>{messages.title}</h2>
          {data && data.length > 0 && (
            <LinkButton to="/add/project" size="small">
              <Icon name="plus" size={16} /> {messages.add}
            </LinkButton>
          )}
        </div>
        {data && <ProjectGrid projects={data} onStart={start} />}
        {data?.length === 0 && (
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
        )}
        {!data && error && (
          <ErrorState
            title={messages.cannotLoad}
            message={messageOf(error)}
            retrying={isFetching}
            onRetry={() => void refetch()}
          />
        )}
        {!data && !error && <CardSkeletons label={messages.loading} className={cardsClass} />}
      </section>
      {(data || error) && <SharedProjects onStart={start} />}
    </div>
  );
}
