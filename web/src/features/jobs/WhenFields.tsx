import { Field, FieldFrame } from "@/ui/form/Field";
import { FormPart } from "./FormPart";
import { type Times, timeZone } from "./times";
import { timesMessages as messages } from "./times.messages";

interface WhenFieldsProps {
  times: Times;
  /** By the fields of the request. */
  faults: Partial<Record<string, string>>;
  onChange: (part: Partial<Times>) => void;
}

const choices = Object.entries(messages.choices) as [Times["every"], string][];
const monthdays = Array.from({ length: 31 }, (_, index) => index + 1);
const shortestMonth = 28;

/** Whether a notebook is run once, or again and again. */
export function WhenFields({ times, faults, onChange }: WhenFieldsProps) {
  const { every, weekday, monthday, at } = times;
  return (
    <FormPart title={messages.title}>
      <FieldFrame label={messages.every} error={faults["schedule.every"] ?? faults.schedule}>
        {(control) => (
          <select
            {...control}
            value={every}
            onChange={(event) => onChange({ every: event.target.value as Times["every"] })}
          >
            {choices.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      {every === "week" && (
        <FieldFrame label={messages.weekday} error={faults["schedule.on"]}>
          {(control) => (
            <select
              {...control}
              value={weekday}
              onChange={(event) => onChange({ weekday: Number(event.target.value) })}
            >
              {messages.weekdays.map((name, index) => (
                <option key={name} value={index + 1}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      )}
      {every === "month" && (
        <FieldFrame
          label={messages.monthday}
          help={monthday > shortestMonth && messages.monthdayHelp}
          error={faults["schedule.on"]}
        >
          {(control) => (
            <select
              {...control}
              value={monthday}
              onChange={(event) => onChange({ monthday: Number(event.target.value) })}
            >
              {monthdays.map((day) => (
                <option key={day}>{day}</option>
              ))}
            </select>
          )}
        </FieldFrame>
      )}
      {every !== "now" && (
        <Field
          label={messages.at}
          type="time"
          help={messages.zone(timeZone())}
          error={faults["schedule.at"] ?? faults["schedule.timezone"] ?? faults["schedule.until"]}
          value={at}
          onChange={(event) => onChange({ at: event.target.value })}
        />
      )}
    </FormPart>
  );
}
