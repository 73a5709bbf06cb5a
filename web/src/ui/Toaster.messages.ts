export const toasterMessages = {
  region: "Notifications",
  dismiss: (title: string) => `Dismiss: ${title}`,
} as const;
