export const requestsMessages = {
  unreachable: "The server can't be reached. Check your connection and try again.",
  status: (status: number) => `The server answered with an error (${status}). Try again in a while.`,
} as const;
