export const tagFilterMessages = { title: "Tags" } as const;
