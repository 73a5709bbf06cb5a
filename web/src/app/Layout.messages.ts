export const layoutMessages = { skip: "Skip to the content" } as const;
