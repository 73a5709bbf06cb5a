/** The words of the events page that are not content: that comes from the site file. */

export const eventsMessages = {
  subtitle: "Workshops where the entries of the catalog were made and taught.",
  none: "There are no events yet.",
} as const;

export const eventMessages = {
  calendar: "Calendar file",
  calendarOf: (event: string) => `Calendar file of ${event}`,
  copyLink: "Copy link",
  copyLinkTo: (event: string) => `Copy link to ${event}`,
} as const;

export const agendaMessages = {
  agendaOf: (event: string) => `Agenda: ${event}`,
} as const;
