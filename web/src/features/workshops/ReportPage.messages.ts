import { count, number } from "@/lib/format";

export const reportMessages = {
  title: (name: string) => `Report of ${name}`,
  loading: "Loading the report",
  attendance: "Attendance",
  joined: (joined: number, seats: number) => `${number(joined)} of ${count(seats, "seat was", "seats were")} taken.`,
  median: (minutes: number) =>
    `Half of those who came stayed for ${count(Math.round(minutes), "minute", "minutes")} or more.`,
  notOver: "The workshop goes on: what is shown is as of now.",
  cells: "Cells",
  hints: "Hints for the author",
  noHints: "No cell failed for many.",
  hint: (cell: number, failed: number, of: number, name: string) =>
    `Cell ${number(cell)}: ${name} for ${number(failed)} of ${number(of)}`,
  errors: "Errors by cell",
  errorsIn: (cell: number, errors: string[]) => `Cell ${number(cell)}: ${errors.join(", ")}`,
  error: (name: string, times: number) => `${name} (${number(times)})`,
  people: "Participants",
  peopleTable: "Table of the participants",
  nobody: "Nobody joined.",
  seat: "Seat",
  name: "Name",
  since: "Joined",
  minutes: "Minutes",
  passed: "Cells done",
  failed: "Cells failed",
  guest: "guest",
  names: "With names",
  namesHelp: "Names are personal data: store the table only where you may.",
} as const;
