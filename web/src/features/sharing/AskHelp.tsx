import type { ShareLevel, ShareRequest } from "@/api/types";
import { ago } from "@/lib/format";
import { AskForm } from "./AskForm";
import { EditWarning } from "./EditWarning";
import { OwnRequest } from "./OwnRequest";
import { ownRequest, stateOf } from "./requestState";
import { requestMessages as messages } from "./requests.messages";
import { SharePart } from "./SharePart";
import { shareMessages } from "./share.messages";

const levels: readonly ShareLevel[] = ["see", "edit"];

/** Asks the help desk for help with one of the user's sessions, and shows what it answered. */
export function AskHelp({ session, requests }: { session: string; requests: ShareRequest[] | undefined }) {
  const request = ownRequest(requests, "help");
  const state = stateOf(request);
  const who = request?.answeredBy ?? "";
  const when = ago(request?.answeredAt ?? request?.createdAt ?? "");
  return (
    <SharePart title={messages.help}>
      {state === "granted" && <p role="status">{messages.helpGiven(who, when)}</p>}
      {state === "refused" && <p role="status">{messages.helpRefused(who, when)}</p>}
      {state === "waiting" && request ? (
        <OwnRequest request={request} text={messages.helpAsked(when)} />
      ) : (
        <>
          <p>{messages.helpMeans}</p>
          <AskForm
            session={session}
            kind="help"
            levels={levels}
            levelLegend={messages.helpDesk}
            levelTexts={shareMessages.levels}
            messageHelp={messages.helpMessageHelp}
            submit={messages.askHelp}
          >
            {(can) => can === "edit" && <EditWarning />}
          </AskForm>
        </>
      )}
    </SharePart>
  );
}
