import { lazy, Suspense } from "react";
import { ResourcePage } from "@/features/catalog/ResourcePage";
import { SyncRepository } from "@/features/contribute/SyncRepository";
import { AssociatedProjects } from "@/features/projects/AssociatedProjects";
import { QuickStart } from "@/features/projects/QuickStart";
import { NewSession } from "@/features/sessions/NewSession";
import { useLocation } from "@/ui/router";

const FileBrowser = lazy(async () => ({ default: (await import("@/features/files/FileBrowser")).FileBrowser }));

/**
 * The page of a resource, with the projects that use it and the sessions they start. A state that it never had, as a
 * sync leaves it, loads it anew.
 */
export function ResourceRoute() {
  const { state } = useLocation();
  return (
    <NewSession key={(state as { reload?: string } | null)?.reload}>
      {(start) => (
        <ResourcePage
          projects={(resourceId) => <AssociatedProjects resourceId={resourceId} onStart={start} />}
          quickStart={(resourceId, show) => (
            <QuickStart resourceId={resourceId} onStart={start}>
              {show}
            </QuickStart>
          )}
          files={(resource) => (
            <Suspense>
              <FileBrowser key={resource.id} resource={resource} sync={<SyncRepository resource={resource} />} />
            </Suspense>
          )}
        />
      )}
    </NewSession>
  );
}
