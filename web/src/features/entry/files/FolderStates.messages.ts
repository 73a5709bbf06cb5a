export const folderStatesMessages = {
  toRoot: "Go to the root",
  again: (message: string, time: string) => `${message} The files load again automatically at ${time}.`,
  retryNow: "Retry now",
  failure: "The files cannot be shown.",
  someHost: "The code host",
  old: "{host} can't be reached right now. The files are shown as of {asOf}.",
  loading: "Loading the files",
} as const;
