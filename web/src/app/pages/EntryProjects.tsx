import { AssociatedProjects } from "@/features/projects/AssociatedProjects";
import { NewSession } from "@/features/sessions/NewSession";

/** The projects that use an entry, and the sessions they start. */
export function EntryProjects({ resourceId }: { resourceId: string }) {
  return <NewSession>{(start) => <AssociatedProjects resourceId={resourceId} onStart={start} />}</NewSession>;
}
