import { lazy, Suspense } from "react";
import { SyncRepository } from "@/features/contribute/SyncRepository";
import { ResourcePage } from "@/features/entry/ResourcePage";
import { AssociatedProjects } from "@/features/projects/AssociatedProjects";
import { NewSession } from "@/features/sessions/NewSession";
import { RunButton } from "@/features/sessions/RunButton";

const FileBrowser = lazy(async () => ({ default: (await import("@/features/entry/files/FileBrowser")).FileBrowser }));
const NotInstalled = lazy(async () => ({ default: (await import("@/features/sessions/NotInstalled")).NotInstalled }));

/** The page of a resource, with the projects that use it and the sessions they start. */
export function ResourceRoute() {
  return (
    <NewSession>
      {(start) => (
        <ResourcePage
          projects={(resourceId) => <AssociatedProjects resourceId={resourceId} onStart={start} />}
          run={({ id, name, type, runnable, runNote, runCode, lastRun }) =>
            // Models run on the workflow platform.
            type !== "MODEL" &&
            runnable !== undefined && (
              <RunButton
                target={{
                  id,
                  name,
                  of: "entry",
                  failed: lastRun?.verdict === "FAILED" ? lastRun.reason : undefined,
                  took: lastRun,
                }}
                note={runnable ? undefined : runNote}
                choosable={runCode === "no_profile_fits"}
              />
            )
          }
          notInstalled={({ id, type, runnable }) =>
            runnable &&
            (type === "REPOSITORY" || type === "NOTEBOOK") && (
              <Suspense>
                <NotInstalled entry={id} />
              </Suspense>
            )
          }
          sync={(resource) => <SyncRepository resource={resource} />}
          files={(resource) => (
            <Suspense>
              <FileBrowser key={resource.id} resource={resource} />
            </Suspense>
          )}
        />
      )}
    </NewSession>
  );
}
