import { ProjectPage } from "@/features/projects/ProjectPage";
import { RunButton } from "@/features/sessions/RunButton";
import { SessionsOfProject } from "@/features/sessions/SessionsOfProject";

/** The page of a project, with the visitor's sessions from it. */
export function ProjectRoute() {
  return (
    <ProjectPage
      run={({ id, name }, note) => <RunButton target={{ id, name, of: "project" }} note={note} />}
      sessions={(projectId) => <SessionsOfProject projectId={projectId} />}
    />
  );
}
