import { useRef } from "react";
import type { ShareRequest } from "@/api/types";
import rows from "@/ui/ListRow.module.css";
import { RequestRow } from "./RequestRow";
import { requestMessages as messages } from "./requests.messages";
import { SharePart } from "./SharePart";

/** The requests that the user may answer: to be let in to their sessions, and those to the help desk if they belong to it. */
export function OpenRequests({ requests }: { requests: readonly ShareRequest[] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <SharePart title={messages.title} heading={heading}>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" aria-label={messages.title} className={rows.what}>
        {requests.map((request) => (
          // The button that had the focus goes away with its row.
          <RequestRow key={request.id} request={request} onAnswered={() => heading.current?.focus()} />
        ))}
      </ul>
    </SharePart>
  );
}
