export const folderStatesMessages = {
  toRoot: "Go to the root",
  again: (message: string, time: string) => `${message} The files come back by themselves at ${time}.`,
  retryNow: "Retry now",
  failure: "The files cannot be shown.",
  someHost: "The code host",
  oldBefore: (host: string) => `${host} cannot be asked at the moment: as of `,
  oldAfter: ".",
  loading: "Loading the files",
} as const;
