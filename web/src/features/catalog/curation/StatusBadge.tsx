import type { Resource } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { statusBadgeMessages as messages } from "./StatusBadge.messages";

/** What operators decided about an entry, and with `explained` also what that means; nothing for most entries. */
export function StatusBadge({
  resource: { hidden, status },
  explained = false,
}: {
  resource: Pick<Resource, "hidden" | "status">;
  explained?: boolean;
}) {
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
