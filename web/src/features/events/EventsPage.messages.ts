/** The words of the events page that aren't content: the content comes from the site file. */

export const eventsMessages = {
  subtitle: "Workshops where the entries of the catalog were made and taught.",
  none: "There are no events yet.",
} as const;
