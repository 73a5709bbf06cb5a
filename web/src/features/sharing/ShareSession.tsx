import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import type { Session } from "@/api/types";
import { AskHelp } from "./AskHelp";
import { requestsQuery } from "./queries";
import { SessionRequests } from "./SessionRequests";
import { ShareForm } from "./ShareForm";
import { Shares } from "./Shares";
import { Visits } from "./Visits";

/** How one of the user's sessions is shared: with whom, who was there, who asks to be let in, and asking for help. */
export function ShareSession({ session }: { session: Session }) {
  const { sharing } = useConfig();
  const { data: requests } = useQuery(requestsQuery(session.id));
  return (
    <>
      <SessionRequests requests={requests} />
      <ShareForm session={session} />
      <Shares session={session} />
      <Visits session={session} />
      {sharing.helpDesk && <AskHelp session={session.id} requests={requests} />}
    </>
  );
}
