export const syncRepositoryMessages = { open: "Sync" } as const;
