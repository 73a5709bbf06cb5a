export const useModelMessages = {
  modelRuns: (platform: string, opens: boolean) =>
    `Models run as experiments on ${platform}${opens ? ", which opens in a new tab" : ""}.`,
  create: (name: string, version: string | undefined, platform: string) =>
    `Create ${name}${version ? ` (${version})` : ""} in ${platform}`,
  noAddress: (platform: string) => `The operators haven't set an address for ${platform}.`,
} as const;
