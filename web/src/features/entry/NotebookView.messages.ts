export const notebookViewMessages = {
  title: "Notebook",
  kept: (version: number) => `kept on this server, version ${version}`,
  ships: "included with this server",
  asOf: (moment: string) => `as of ${moment}`,
  frame: (name: string) => `Notebook ${name}`,
  again: "Reloading the notebook",
  failure: "The notebook cannot be shown.",
  source: "Open the source",
} as const;
