import { useQuery } from "@tanstack/react-query";
import type { Session } from "@/api/types";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { Dialog } from "@/ui/Dialog";
import { ownSessionQuery } from "./queries";
import { PartLevel } from "./SharePart";
import { ShareSession } from "./ShareSession";
import { shareMessages as messages } from "./share.messages";

/** Shares one of the user's sessions, from its card. */
export function ShareSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { data = session } = useQuery(ownSessionQuery(session.id));
  return (
    <Dialog title={messages.title(session.sessionName)} onClose={onClose}>
      <div className={dashboard.parts}>
        <PartLevel value="h3">
          <ShareSession session={data} />
        </PartLevel>
      </div>
    </Dialog>
  );
}
