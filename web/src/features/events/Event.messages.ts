export const eventMessages = {
  calendar: "Add to calendar",
  calendarOf: (event: string) => `Add to calendar: ${event}`,
  entries: "Entries from this event",
  copyLink: "Copy link",
  copyLinkTo: (event: string) => `Copy link to ${event}`,
} as const;
