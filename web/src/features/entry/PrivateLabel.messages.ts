export const privateLabelMessages = {
  private: "Private",
  authors: "This resource is private and can only be seen by the resource's authors",
  readers: (host: string) => `Private: shown to those who can read its repository at ${host}`,
} as const;
