import type { Resource } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { statusBadgeMessages as messages } from "./StatusBadge.messages";

/** That an entry is closed to its author now, or what operators decided about it, and with `explained` also what that means; nothing for most entries. */
export function StatusBadge({
  resource: { hidden, status, closed },
  explained = false,
}: {
  resource: Pick<Resource, "hidden" | "status"> & Partial<Pick<Resource, "closed">>;
  explained?: boolean;
}) {
  if (closed) return <Badge tone="amber">{messages.closed}</Badge>;
  const said = hidden ? "hidden" : status === "VERIFIED" ? "verified" : status === "REJECTED" ? "rejected" : undefined;
  if (!said) return null;
  return (
    <>
      <Badge tone={said === "verified" ? "green" : "red"} title={messages[`${said}Detail`]}>
        {messages[said]}
      </Badge>
      {explained && messages[`${said}Detail`]}
    </>
  );
}
