export const indexStateMessages = { title: "The search is getting ready.", bar: "Search index" } as const;
