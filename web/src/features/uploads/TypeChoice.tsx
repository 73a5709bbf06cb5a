import { kindOf } from "@/features/catalog/kinds";
import { Choice } from "@/ui/form/Field";
import { FormGroup } from "@/ui/form/Form";
import { Note } from "@/ui/Note";
import type { UploadContents, UploadType } from "./shapes";
import { typeChoiceMessages as messages } from "./TypeChoice.messages";

/** What files can become. Models aren't made of files. */
export const typesOf = ({ types }: Pick<UploadContents, "types">) => types.filter((type) => type !== "MODEL");

interface TypeChoiceProps {
  types: UploadType[];
  type: UploadType | undefined;
  onChoose: (type: UploadType) => void;
}

/** Only what the files can become is offered. */
export function TypeChoice({ types, type, onChoose }: TypeChoiceProps) {
  if (types.length === 0) return <Note kind="error">{messages.none}</Note>;
  return (
    <FormGroup title={messages.title}>
      {types.map((each) => (
        <Choice
          key={each}
          type="radio"
          name="upload-type"
          label={kindOf(each).label}
          help={messages.kinds[each]}
          checked={each === type}
          onChange={() => onChoose(each)}
        />
      ))}
    </FormGroup>
  );
}
