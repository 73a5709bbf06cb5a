import type { Resource } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { dataBadgeMessages as messages } from "./DataBadge.messages";

/** Says that the data of a dataset isn't on this server; nothing for all other entries. */
export function DataBadge({ resource }: { resource: Resource }) {
  return resource.dataMissing ? <Badge tone="grey">{messages.missing}</Badge> : null;
}
