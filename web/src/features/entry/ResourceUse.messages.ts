export const resourceUseMessages = {
  repository: "Use this repository",
  dataset: "Use this dataset",
  model: "Run this model",
  livesAt: "It lives at",
  cloneAddress: "clone address",
  clone: "Clone it to your machine",
  cloneCommand: "clone command",
  repositoryInSession: "In a session of a project with it, it is there already",
  pathInSession: "path in a session",
  onServer: "Folder on the server",
  folder: "folder",
  address: "address",
  ships: "Included with this server.",
  datasetInSession: "In a session of a project with it, to be read only",
  forPrograms: "The same for programs, from any folder",
  pathForPrograms: "path for programs",
  modelRuns: (platform: string, opens: boolean) =>
    `Models run as experiments on ${platform}${opens ? ", which opens in a new tab" : ""}.`,
  create: (name: string, version: string | undefined, platform: string) =>
    `Create ${name}${version ? ` (${version})` : ""} in ${platform}`,
  noAddress: (platform: string) => `The operators have not named an address of ${platform}.`,
} as const;
