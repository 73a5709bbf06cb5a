import { Badge } from "@/ui/Badge";
import { kindOf } from "./kinds";

/** The type of an entry, in color and words. */
export function TypeBadge({ type }: { type: string }) {
  const { tone, label } = kindOf(type);
  return <Badge tone={tone}>{label}</Badge>;
}
