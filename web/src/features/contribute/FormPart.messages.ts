export const formPartMessages = {
  from: (source: string, text: string) => `From ${source}: ${text}`,
  use: "Use",
  forField: (field: string) => `Use for ${field}`,
} as const;
