export const searchFormMessages = { search: "Search" } as const;
