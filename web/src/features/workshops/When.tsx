import rows from "@/ui/ListRow.module.css";
import type { Workshop } from "./types";
import { workshopWordsMessages as messages } from "./workshopWords.messages";
import { ownZone, sameClock, spanIn } from "./zoned";

/** When a workshop is by its own clock, and by the reader's where that shows something else. */
export function When({ startsAt, endsAt, timezone }: Pick<Workshop, "startsAt" | "endsAt" | "timezone">) {
  const own = ownZone();
  return (
    <>
      <time dateTime={startsAt}>{messages.inZone(spanIn(startsAt, endsAt, timezone), timezone)}</time>
      {!sameClock([startsAt, endsAt], timezone, own) && (
        <>
          {" "}
          <span className={rows.note}>{messages.forYou(spanIn(startsAt, endsAt, own))}</span>
        </>
      )}
    </>
  );
}
