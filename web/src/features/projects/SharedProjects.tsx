import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Badge } from "@/ui/Badge";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import rows from "@/ui/ListRow.module.css";
import styles from "./MyProjects.module.css";
import { ProjectGrid } from "./ProjectGrid";
import { sharedProjectsMessages as messages } from "./SharedProjects.messages";
import { sharedProjectsQuery } from "./sharedProjectsQuery";

/** The projects of others that are shared with the signed-in person or offered to them. Renders nothing if there are none. */
export function SharedProjects({ onStart }: { onStart: (project: Project) => void }) {
  const { state } = useAuth();
  const { data, error, isFetching, refetch } = useQuery({
    ...sharedProjectsQuery,
    enabled: state === "authenticated",
  });
  const heading = useId();
  if (!data?.length && !(error && !data)) return null;
  return (
    <section className={styles.projects} aria-labelledby={heading}>
      <h2 id={heading}>{messages.title}</h2>
      {data ? (
        <ProjectGrid projects={data} onStart={onStart} note={(project) => <Sharing project={project} />} />
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

/** Whose project it is, and the role of the person it's shared with. */
function Sharing({ project: { role, ownerId, offeredTo } }: { project: Project }) {
  return (
    <p className={rows.line}>
      {offeredTo !== undefined && <Badge tone="amber">{messages.offered}</Badge>}
      {(role === "viewer" || role === "editor") && <Badge tone="grey">{messages[role]}</Badge>}
      <span className={rows.note}>
        <Filled text={messages.of} values={{ owner: <bdi>{ownerId}</bdi> }} />
      </span>
    </p>
  );
}
