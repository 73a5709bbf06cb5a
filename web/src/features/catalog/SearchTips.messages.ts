export const searchTipsMessages = { title: "Search tips" } as const;
