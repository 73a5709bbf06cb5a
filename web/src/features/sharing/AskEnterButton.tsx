import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SharedSession } from "@/api/types";
import { ago } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { AskEnter } from "./AskEnter";
import { levelsAbove } from "./levels";
import { OwnRequest } from "./OwnRequest";
import { requestsQuery } from "./queries";
import { ownRequest, stateOf } from "./requestState";
import { requestMessages as messages } from "./requests.messages";

/** A button that asks the owner of a shared session for more, or what was asked for. */
export function AskEnterButton({ shared: { id, can, owner } }: { shared: SharedSession }) {
  const { data } = useQuery(requestsQuery(id));
  const [asking, setAsking] = useState(false);
  const request = ownRequest(data, "enter");
  if (request && stateOf(request) === "waiting") {
    return <OwnRequest request={request} text={messages.entering(ago(request.createdAt))} />;
  }
  return (
    <>
      <div>
        <Button onClick={() => setAsking(true)}>{messages.enter}</Button>
      </div>
      {asking && (
        <Dialog title={messages.enter} onClose={() => setAsking(false)}>
          <AskEnter session={id} owner={owner} levels={levelsAbove(can).toReversed()} />
        </Dialog>
      )}
    </>
  );
}
