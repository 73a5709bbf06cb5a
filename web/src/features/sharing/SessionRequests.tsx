import { useRef } from "react";
import type { ShareRequest } from "@/api/types";
import rows from "@/ui/ListRow.module.css";
import { RequestRow } from "./RequestRow";
import { requestMessages as messages } from "./requests.messages";
import { SharePart } from "./SharePart";

/** Who asks to be let in to one of the user's sessions; nothing for nobody. */
export function SessionRequests({ requests = [] }: { requests: ShareRequest[] | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const open = requests.filter(({ kind, answeredAt }) => kind === "enter" && !answeredAt);
  if (open.length === 0) return null;
  return (
    <SharePart title={messages.title} heading={heading}>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" aria-label={messages.title} className={rows.what}>
        {open.map((request) => (
          // The button that had the focus goes away with its row.
          <RequestRow key={request.id} request={request} ofSession onAnswered={() => heading.current?.focus()} />
        ))}
      </ul>
    </SharePart>
  );
}
