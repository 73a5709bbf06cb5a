export const eventMessages = {
  calendar: "Calendar file",
  calendarOf: (event: string) => `Calendar file of ${event}`,
  copyLink: "Copy link",
  copyLinkTo: (event: string) => `Copy link to ${event}`,
} as const;
