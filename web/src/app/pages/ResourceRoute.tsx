import { useLocation } from "react-router";
import { ResourcePage } from "@/features/catalog/ResourcePage";
import { SyncRepository } from "@/features/contribute/SyncRepository";
import { AssociatedProjects } from "@/features/projects/AssociatedProjects";
import { NewSession } from "@/features/sessions/NewSession";

/**
 * The page of a resource, with the projects that use it and the sessions they start. A state that nobody had before, as
 * a sync leaves it, loads the page anew.
 */
export function ResourceRoute() {
  const { state } = useLocation();
  return (
    <NewSession key={state?.reload}>
      {(start) => (
        <ResourcePage
          projects={(resourceId) => <AssociatedProjects resourceId={resourceId} onStart={start} />}
          sync={(resource) => <SyncRepository resource={resource} />}
        />
      )}
    </NewSession>
  );
}
