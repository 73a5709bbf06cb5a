import { useQuery } from "@tanstack/react-query";
import { useAuth } from "@/features/identity/useAuth";
import { MyProjects } from "@/features/projects/MyProjects";
import { projectsQuery } from "@/features/projects/queries";
import { DashboardPage } from "@/features/sessions/DashboardPage";
import { NewSession } from "@/features/sessions/NewSession";

/** The dashboard: the user's sessions, and the projects that start them. */
export function SessionsRoute() {
  const { state } = useAuth();
  const { data } = useQuery({ ...projectsQuery, enabled: state === "authenticated" });
  return (
    <NewSession projects={data}>
      {(start, startIn) => <DashboardPage projects={<MyProjects onStart={start} />} onNew={data && startIn} />}
    </NewSession>
  );
}
