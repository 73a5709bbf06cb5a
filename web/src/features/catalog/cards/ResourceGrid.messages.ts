export const resourceGridMessages = { loading: "Loading entries" } as const;
