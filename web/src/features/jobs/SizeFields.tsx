import { Choice } from "@/features/sessions/Choice";
import { sizeText } from "@/features/sessions/sizes";
import { sizesMessages } from "@/features/sessions/sizes.messages";
import { Note } from "@/ui/Note";
import { jobFormMessages as messages } from "./JobForm.messages";
import type { Sizes } from "./useSizes";

/** Where a notebook runs and in which size, as far as that can be chosen. */
export function SizeFields({ sizes, error }: { sizes: Sizes; error: string | undefined }) {
  const { engines, engine, pick, profiles, size, want, reason, notes } = sizes;
  if (engines.length === 0 && profiles.length === 0 && !reason && !error) return null;
  return (
    <div>
      {engines.length > 0 && (
        <Choice
          legend={messages.engine}
          options={engines.map((kind) => ({
            ...kind,
            note: notes[kind.name],
            disabled: notes[kind.name] !== undefined,
          }))}
          chosen={engine}
          onChoose={pick}
        />
      )}
      {profiles.length > 0 ? (
        <Choice
          legend={sizesMessages.legend}
          help={reason}
          options={profiles.map((one) => ({ ...one, note: sizeText(one) }))}
          chosen={size?.name}
          onChoose={want}
        />
      ) : (
        reason && <p role="status">{reason}</p>
      )}
      {error && (
        <Note kind="error" role="alert">
          {error}
        </Note>
      )}
    </div>
  );
}
