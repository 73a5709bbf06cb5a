/** The words of the events page that aren't content: the content comes from the site file. */

export const eventsMessages = {
  subtitle: "Workshops behind the entries in this catalog.",
  none: "There are no events yet.",
} as const;
