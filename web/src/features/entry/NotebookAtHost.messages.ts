export const notebookAtHostMessages = {
  where: (host: string) => `This notebook is a page at ${host}.`,
  learns: (host: string) => `When it is shown here, ${host} learns that someone at your address reads it.`,
  forbids: (host: string) => `${host} doesn't let other sites show it.`,
  show: "Show it here",
  open: (host: string) => `Open it at ${host}`,
} as const;
