export const typeFilterMessages = { label: "Types" } as const;
