import { useQuery } from "@tanstack/react-query";
import { useAuth } from "@/features/identity/useAuth";
import { MyProjects } from "@/features/projects/MyProjects";
import { projectsQuery } from "@/features/projects/queries";
import { sharedProjectsQuery } from "@/features/projects/sharedProjectsQuery";
import { DashboardPage } from "@/features/sessions/DashboardPage";
import { NewSession } from "@/features/sessions/NewSession";

/** The dashboard: the user's sessions, and the projects that start them. */
export function SessionsRoute() {
  const { state } = useAuth();
  const enabled = state === "authenticated";
  const { data } = useQuery({ ...projectsQuery, enabled });
  const { data: shared = [] } = useQuery({ ...sharedProjectsQuery, enabled });
  return (
    <NewSession projects={data && [...data, ...shared]}>
      {(start, startIn) => <DashboardPage projects={<MyProjects onStart={start} />} onNew={data && startIn} />}
    </NewSession>
  );
}
