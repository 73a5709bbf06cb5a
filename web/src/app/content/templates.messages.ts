export const templatesMessages = { more: "More results" } as const;
