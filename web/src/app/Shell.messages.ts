/** The words of the document until its script runs. */

export const shellMessages = {
  unscripted: "Turn on JavaScript to run entries and to use all of this page. ",
  api: "Programs can use the API.",
} as const;
