export const layoutMessages = { skip: "Skip to content" } as const;
