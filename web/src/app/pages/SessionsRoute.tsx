import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { Session } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { MyProjects } from "@/features/projects/MyProjects";
import { projectsQuery } from "@/features/projects/queries";
import { sharedProjectsQuery } from "@/features/projects/sharedProjectsQuery";
import { DashboardPage } from "@/features/sessions/DashboardPage";
import { NewSession } from "@/features/sessions/NewSession";
import { openRequestsQuery, sharedQuery } from "@/features/sharing/queries";

const SharedParts = lazy(async () => ({ default: (await import("@/features/sharing/SharedParts")).SharedParts }));
const ShareSessionDialog = lazy(async () => ({
  default: (await import("@/features/sharing/ShareSessionDialog")).ShareSessionDialog,
}));

/** The dashboard: the user's sessions, what others share with them, and the projects that start sessions. */
export function SessionsRoute() {
  const { state } = useAuth();
  const enabled = state === "authenticated";
  const { data } = useQuery({ ...projectsQuery, enabled });
  const { data: shared = [] } = useQuery({ ...sharedProjectsQuery, enabled });
  const { data: sessions = [] } = useQuery({ ...sharedQuery, enabled });
  const { data: requests = [] } = useQuery({ ...openRequestsQuery, enabled });
  const [sharing, setSharing] = useState<Session>();
  return (
    <NewSession projects={data && [...data, ...shared]}>
      {(start, startIn) => (
        <>
          <DashboardPage
            shared={
              sessions.length + requests.length > 0 && (
                <Suspense>
                  <SharedParts sessions={sessions} requests={requests} />
                </Suspense>
              )
            }
            projects={<MyProjects onStart={start} />}
            onNew={data && startIn}
            onShare={setSharing}
          />
          <Suspense>
            {sharing && <ShareSessionDialog session={sharing} onClose={() => setSharing(undefined)} />}
          </Suspense>
        </>
      )}
    </NewSession>
  );
}
