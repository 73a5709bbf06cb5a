export const startMessages = { failed: "The page could not start." } as const;
