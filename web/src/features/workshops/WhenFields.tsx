import { useMemo } from "react";
import { day } from "@/lib/format";
import { Field, FieldFrame } from "@/ui/form/Field";
import rows from "@/ui/ListRow.module.css";
import { lastDayOf, spanOf, type Values } from "./draft";
import { HostPart } from "./HostPart";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";
import { WorkshopStyles } from "./WorkshopStyles";
import { allZones, isZone, ownZone, sameClock, spanIn, wallAt, type Zoned } from "./zoned";

interface WhenFieldsProps {
  values: Values;
  /** By the fields of the request. */
  faults: Partial<Record<string, string>>;
  onChange: (part: Partial<Values>) => void;
}

/** When it is, by the clock of its own zone. */
export function WhenFields({ values, faults, onChange }: WhenFieldsProps) {
  const { date, from, to, lastDay, zone } = values;
  const zones = useMemo(() => allZones(zone, ownZone()), [zone]);
  const { start, end } = spanOf(values);
  const last = lastDayOf(values);
  const notes = [
    lastDay === "" && last !== date && messages.nextDay(day(`${last}T12:00:00`)),
    clockNote(start, from, zone),
    clockNote(end, to, zone),
    yourClock(start, end, zone),
  ].filter(Boolean);
  return (
    <HostPart title={messages.when}>
      <WorkshopStyles />
      <div className="ws-fields">
        <Field
          type="date"
          label={messages.date}
          error={faults.date}
          value={date}
          onChange={(event) => onChange({ date: event.target.value })}
        />
        <Field
          type="time"
          label={messages.from}
          error={faults.startsAt}
          value={from}
          onChange={(event) => onChange({ from: event.target.value })}
        />
        <Field
          type="time"
          label={messages.to}
          error={faults.endsAt}
          value={to}
          onChange={(event) => onChange({ to: event.target.value })}
        />
        <Field
          type="date"
          label={messages.lastDay}
          help={messages.lastDayHelp}
          value={lastDay}
          min={date}
          onChange={(event) => onChange({ lastDay: event.target.value })}
        />
      </div>
      <FieldFrame label={messages.zone} help={messages.zoneHelp} error={faults.timezone}>
        {(control) => (
          <select {...control} value={zone} onChange={(event) => onChange({ zone: event.target.value })}>
            {zones.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </FieldFrame>
      <div role="status">
        {notes.map((note) => (
          <p key={String(note)} className={rows.note}>
            {note}
          </p>
        ))}
      </div>
    </HostPart>
  );
}

/** What is to be said of a time around which the clock changes. */
function clockNote(zoned: Zoned | undefined, time: string, zone: string): string | undefined {
  if (zoned?.kind === "twice") return messages.twice;
  if (zoned?.kind !== "skipped") return undefined;
  const meant = wallAt(zoned.instant, zone).time;
  return meant === time ? undefined : messages.skipped(meant);
}

function yourClock(start: Zoned | undefined, end: Zoned | undefined, zone: string): string | undefined {
  if (!start || !end || end.instant <= start.instant || !isZone(zone)) return undefined;
  const [from = "", to = ""] = [start, end].map(({ instant }) => new Date(instant).toISOString());
  return sameClock([from, to], zone, ownZone()) ? undefined : messages.byYourClock(spanIn(from, to, ownZone()));
}
