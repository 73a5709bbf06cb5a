import type { SizeName } from "./room";
import type { Workshop, WorkshopDraft } from "./types";
import { dateAfter, wallAt, type Zoned, zonedInstant } from "./zoned";

/** What a workshop runs. */
export interface Origin {
  of: "entry" | "project";
  id: string;
}

/** What the form's fields hold. */
export interface Values {
  name: string;
  origin: Origin | undefined;
  event: string;
  seats: string;
  date: string;
  from: string;
  to: string;
  /** "" for the day on which it begins, or the next one if it would end before it begins. */
  lastDay: string;
  zone: string;
  size: SizeName | undefined;
  internet: boolean;
  guests: boolean;
  /** E-mail addresses, apart by commas. */
  hosts: string;
  file: string;
  ref: string;
}

export const mostSeats = 500;
export const longestName = 200;

/** The fields that can be refused before the server is asked, by their names in the request. */
export type Fault = "name" | "origin" | "seats" | "startsAt" | "date" | "endsAt" | "past" | "timezone";

type When = Pick<Values, "date" | "from" | "to" | "lastDay" | "zone">;

/** The day on which it ends: the one that was written, or what the times of the day say. */
export function lastDayOf({ date, from, to, lastDay }: Omit<When, "zone">): string {
  if (lastDay !== "") return lastDay;
  return to !== "" && from !== "" && to < from ? dateAfter(date, 1) : date;
}

/** From when to when, as far as that can be told. */
export function spanOf(when: When): { start: Zoned | undefined; end: Zoned | undefined } {
  const { date, from, to, zone } = when;
  return {
    start: zonedInstant({ date, time: from }, zone),
    end: zonedInstant({ date: lastDayOf(when), time: to }, zone),
  };
}

/** The number of seats; undefined if that is none the server takes. */
export function seatsOf(text: string): number | undefined {
  const seats = /^\s*\d{1,3}\s*$/.test(text) ? Number(text) : 0;
  return seats >= 1 && seats <= mostSeats ? seats : undefined;
}

/** What is asked for; or which fields keep it from being asked. */
export function draftOf(values: Values, now: number): { draft: WorkshopDraft } | { faults: Fault[] } {
  const { origin, event, zone, size, internet, guests, hosts, file, ref } = values;
  const { start, end } = spanOf(values);
  const seats = seatsOf(values.seats);
  const name = values.name.trim();
  const faults: Fault[] = [];
  if (name === "" || [...name].length > longestName) faults.push("name");
  if (!origin) faults.push("origin");
  if (seats === undefined) faults.push("seats");
  if (values.date === "") faults.push("date");
  else if (!start) faults.push("startsAt");
  if (!end || (start && end.instant <= start.instant)) faults.push("endsAt");
  else if (end.instant <= now) faults.push("past");
  if (faults.length > 0 || !origin || seats === undefined || !start || !end) return { faults };
  return {
    draft: {
      name,
      [origin.of]: origin.id,
      ...(event !== "" && { event }),
      seats,
      startsAt: new Date(start.instant).toISOString(),
      endsAt: new Date(end.instant).toISOString(),
      timezone: zone,
      ...(size && { engine: size.engine, profile: size.profile }),
      network: internet ? "internet" : "none",
      guests,
      hosts: hosts.split(/[\s,;]+/).filter((host) => host !== ""),
      file: file.trim(),
      ref: ref.trim(),
    },
  };
}

/** A draft as it is sent for a new workshop: what is empty is left to the server. */
export function withoutEmpty({ file, ref, ...draft }: WorkshopDraft): WorkshopDraft {
  return { ...draft, ...(file && { file }), ...(ref && { ref }) };
}

/** What differs: only that is sent for a workshop that is there already. */
export function changesOf(before: WorkshopDraft, after: WorkshopDraft): Partial<WorkshopDraft> {
  const was = before as unknown as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(was[field])),
  );
}

/** The fields for a workshop that is there already. */
export function valuesOf(workshop: Workshop): Values {
  const { name, entry, project, event, seats, startsAt, endsAt, timezone, engine, profile, network } = workshop;
  const start = wallAt(startsAt, timezone);
  const end = wallAt(endsAt, timezone);
  const day = { date: start.date, from: start.time, to: end.time };
  return {
    name,
    origin: entry ? { of: "entry", id: entry.id } : project && { of: "project", id: project.id },
    event: event ?? "",
    seats: String(seats.total),
    ...day,
    lastDay: lastDayOf({ ...day, lastDay: "" }) === end.date ? "" : end.date,
    zone: timezone,
    size: { engine, profile: profile ?? "" },
    internet: network === "internet",
    guests: workshop.guests,
    hosts: workshop.hosts.join(", "),
    file: workshop.file ?? "",
    ref: workshop.ref ?? "",
  };
}

/** The fields for a new one: tomorrow morning, by the reader's clock. */
export function firstValues(zone: string, now: number): Values {
  return {
    name: "",
    origin: undefined,
    event: "",
    seats: "20",
    date: dateAfter(wallAt(now, zone).date, 1),
    from: "09:00",
    to: "12:00",
    lastDay: "",
    zone,
    size: undefined,
    internet: true,
    guests: true,
    hosts: "",
    file: "",
    ref: "",
  };
}
