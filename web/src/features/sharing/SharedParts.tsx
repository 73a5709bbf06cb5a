import type { SharedSession, ShareRequest } from "@/api/types";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { OpenRequests } from "./OpenRequests";
import { SharedWithYou } from "./SharedWithYou";

interface SharedPartsProps {
  sessions: readonly SharedSession[];
  requests: readonly ShareRequest[];
}

/** What others share with the user, and what they ask for, for the dashboard. */
export function SharedParts({ sessions, requests }: SharedPartsProps) {
  return (
    <div className={dashboard.parts}>
      {requests.length > 0 && <OpenRequests requests={requests} />}
      {sessions.length > 0 && <SharedWithYou sessions={sessions} />}
    </div>
  );
}
