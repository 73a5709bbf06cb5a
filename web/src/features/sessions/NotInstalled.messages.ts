export const notInstalledMessages = {
  notInstalled: (count: number) => `Not installed in sessions here: ${count}`,
} as const;
