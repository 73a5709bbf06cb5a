export const descriptionFieldMessages = { preview: "Preview" } as const;
