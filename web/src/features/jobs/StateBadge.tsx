import type { Job } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { Icon } from "@/ui/Icon";
import { stateLooks } from "./jobWords";
import { jobWordsMessages as messages } from "./jobWords.messages";

/** The state of a job, with a sign and a word. */
export function StateBadge({ state }: Pick<Job, "state">) {
  const { tone, icon } = stateLooks[state];
  return (
    <Badge tone={tone}>
      <Icon name={icon} size={14} />
      {messages.states[state]}
    </Badge>
  );
}
