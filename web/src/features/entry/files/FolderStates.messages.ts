export const folderStatesMessages = {
  toRoot: "Go to the root",
  again: (message: string, time: string) => `${message} The files load again automatically at ${time}.`,
  retryNow: "Retry now",
  failure: "The files cannot be shown.",
  someHost: "The code host",
  oldBefore: (host: string) => `${host} can't be reached right now. Shown as of `,
  oldAfter: ".",
  loading: "Loading the files",
} as const;
