import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import type { Interface } from "@/api/types";
import type { StartableProject } from "./NewSessionDialog";

const NewSessionDialog = lazy(async () => ({ default: (await import("./NewSessionDialog")).NewSessionDialog }));

interface NewSessionProps {
  /** Those to choose from when somebody asks for an interface and not for a project. */
  projects?: readonly StartableProject[] | undefined;
  /** Receives what asks for a name and starts a session: of a project, or in an interface, of a project that is chosen then. */
  children: (start: (project: StartableProject) => void, startIn: (inside: Interface) => void) => ReactNode;
}

/** Gives whatever shows projects the new-session dialog, without either knowing of the other. */
export function NewSession({ projects, children }: NewSessionProps) {
  const [asked, setAsked] = useState<{ projects: readonly StartableProject[]; inside?: Interface } | null>(null);
  const start = useCallback(({ id, name }: StartableProject) => setAsked({ projects: [{ id, name }] }), []);
  const startIn = useCallback((inside: Interface) => setAsked({ projects: projects ?? [], inside }), [projects]);
  return (
    <>
      {children(start, startIn)}
      <Suspense>{asked && <NewSessionDialog {...asked} onClose={() => setAsked(null)} />}</Suspense>
    </>
  );
}
