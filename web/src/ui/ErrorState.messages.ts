export const errorStateMessages = { retry: "Retry" } as const;
