import { MyProjects } from "@/features/projects/MyProjects";
import { DashboardPage } from "@/features/sessions/DashboardPage";
import { NewSession } from "@/features/sessions/NewSession";

/** The dashboard: the user's sessions, and the projects that start them. */
export function SessionsRoute() {
  return <NewSession>{(start) => <DashboardPage projects={<MyProjects onStart={start} />} />}</NewSession>;
}
