/** The texts for calls without a proper answer. Other errors come with the server's text. */

export const problemMessages = {
  status: (status: number) => `The server answered with an error (${status}). Try again in a while.`,
  late: "The server did not answer in time. Try again in a while.",
  unreachable: "The server cannot be reached. Check your connection and try again.",
  defect: "Something went wrong on this page. Reload it and try again.",
} as const;
