import type { ShareLevel } from "@/api/types";
import { Choice } from "@/features/sessions/Choice";
import { EditWarning } from "./EditWarning";
import { allLevels } from "./levels";
import { shareMessages as messages } from "./share.messages";

interface LevelChoiceProps {
  legend: string;
  chosen: ShareLevel;
  onChoose: (level: ShareLevel) => void;
}

/** What others may do with one's session, with a warning where that is everything. */
export function LevelChoice({ legend, chosen, onChoose }: LevelChoiceProps) {
  return (
    <>
      <Choice
        legend={legend}
        options={allLevels.map((level) => ({
          name: level,
          label: messages.levels[level],
          note: messages.levelNotes[level],
        }))}
        chosen={chosen}
        onChoose={(name) => onChoose(allLevels.find((level) => level === name) ?? chosen)}
      />
      {chosen === "edit" && <EditWarning />}
    </>
  );
}
