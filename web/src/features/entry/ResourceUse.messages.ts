export const resourceUseMessages = {
  repository: "Use this repository",
  dataset: "Use this dataset",
  model: "Run this model",
  livesAt: "Address",
  cloneAddress: "clone address",
  clone: "Clone",
  cloneCommand: "clone command",
  repositoryInSession: "Path in a session",
  pathInSession: "path in a session",
  onServer: "Folder on the server",
  folder: "folder",
  address: "address",
  ships: "Included with this server.",
  datasetInSession: "Path in a session (read-only)",
  forPrograms: "Path for code, from any folder",
  pathForPrograms: "path for programs",
  modelRuns: (platform: string, opens: boolean) =>
    `Models run as experiments on ${platform}${opens ? ", which opens in a new tab" : ""}.`,
  create: (name: string, version: string | undefined, platform: string) =>
    `Create ${name}${version ? ` (${version})` : ""} in ${platform}`,
  noAddress: (platform: string) => `The operators haven't set an address for ${platform}.`,
} as const;
