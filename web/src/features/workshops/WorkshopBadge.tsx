import { Badge } from "@/ui/Badge";
import { Icon, type IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";
import type { Workshop, WorkshopState } from "./types";
import { workshopWordsMessages as messages } from "./workshopWords.messages";

const looks: Record<WorkshopState, { tone: Tone; icon: IconName }> = {
  PLANNED: { tone: "grey", icon: "calendar" },
  WARMING: { tone: "amber", icon: "sync" },
  OPEN: { tone: "green", icon: "play" },
  ENDED: { tone: "grey", icon: "check" },
};

/** The state of a workshop, with a sign and a word. */
export function WorkshopBadge({ state, endingAt }: Pick<Workshop, "state" | "endingAt">) {
  const ending = state === "OPEN" && endingAt !== undefined;
  return (
    <Badge tone={ending ? "amber" : looks[state].tone}>
      <Icon name={looks[state].icon} size={14} />
      {ending ? messages.ending : messages.states[state]}
    </Badge>
  );
}
