/** The days of the week in the order of their numbers, from 1. */
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export const timesMessages = {
  title: "When",
  every: "How often",
  choices: { now: "Once, now", day: "Every day", week: "Every week", month: "Every month" },
  weekdays,
  weekday: "Day of the week",
  monthday: "Day of the month",
  monthdayHelp: "In shorter months, on the last day.",
  at: "Time",
  zone: (zone: string) => `In your time zone, ${zone}.`,
  wrongTime: "Write the time like 03:00.",
  day: (at: string, zone: string) => `Every day at ${at} (${zone})`,
  week: (on: number, at: string, zone: string) => `Every ${weekdays[on - 1] ?? "week"} at ${at} (${zone})`,
  month: (on: number, at: string, zone: string) => `On day ${on} of every month at ${at} (${zone})`,
  until: (words: string, day: string) => `${words}, until ${day}`,
  deadline: "Longest time for its cells",
  deadlineHelp: "It's stopped after that, and what it has printed by then is kept.",
  deadlines: {
    "": "As long as this server allows",
    "30m": "30 minutes",
    "1h": "1 hour",
    "2h": "2 hours",
    "6h": "6 hours",
    "12h": "12 hours",
  },
} as const;
