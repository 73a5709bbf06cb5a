import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ShareLevel } from "@/api/types";
import { ago } from "@/lib/format";
import { AskForm } from "./AskForm";
import { OwnRequest } from "./OwnRequest";
import { requestsQuery } from "./queries";
import { ownRequest, stateOf } from "./requestState";
import { requestMessages as messages } from "./requests.messages";

interface AskEnterProps {
  session: string;
  /** The owner's name, for those who may know it. */
  owner?: string | undefined;
  /** What can be asked for, the default first. */
  levels: readonly ShareLevel[];
  /** The owner has let the user in. */
  onGranted?: () => void;
}

/** Asks the owner of a session to be let in, and shows what became of that. */
export function AskEnter({ session, owner = messages.theOwner, levels, onGranted }: AskEnterProps) {
  const { data } = useQuery(requestsQuery(session));
  const request = ownRequest(data, "enter");
  const state = stateOf(request);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === "waiting" && state === "granted") onGranted?.();
    before.current = state;
  }, [state, onGranted]);
  if (state === "waiting" && request) {
    return <OwnRequest request={request} text={messages.entering(ago(request.createdAt))} />;
  }
  return (
    <>
      {state === "refused" && <p role="status">{messages.enterRefused(ago(request?.answeredAt ?? ""))}</p>}
      <p>{messages.enterMeans(owner)}</p>
      <AskForm
        session={session}
        kind="enter"
        levels={levels}
        levelLegend={messages.enterCan}
        levelTexts={messages.enterLevels}
        messageHelp={messages.enterMessageHelp}
        submit={messages.askEnter}
      />
    </>
  );
}
