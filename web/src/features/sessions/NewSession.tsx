import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";

const NewSessionDialog = lazy(async () => ({ default: (await import("./NewSessionDialog")).NewSessionDialog }));

interface StartableProject {
  id: string;
  name: string;
}

interface NewSessionProps {
  /** Receives the function that asks for a name and starts a session of a project. */
  children: (start: (project: StartableProject) => void) => ReactNode;
}

/** Gives whatever shows projects the new-session dialog, without either knowing of the other. */
export function NewSession({ children }: NewSessionProps) {
  const [project, setProject] = useState<StartableProject | null>(null);
  const start = useCallback((next: StartableProject) => setProject({ id: next.id, name: next.name }), []);
  return (
    <>
      {children(start)}
      <Suspense>
        {project && <NewSessionDialog key={project.id} project={project} onClose={() => setProject(null)} />}
      </Suspense>
    </>
  );
}
