export const footerMessages = {
  footer: "Footer",
  contact: "Questions:",
  version: (version: string) => `Version ${version}`,
} as const;
