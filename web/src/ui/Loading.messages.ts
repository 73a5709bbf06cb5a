export const loadingMessages = { loading: "Loading" } as const;
