export const shareResourceMessages = {
  title: (kind: string) => `Share this ${kind.toLowerCase()}`,
  badge: (name: string, product: string) => `${name} on ${product}`,
  badgeOfRun: (name: string, product: string) => `Last run of ${name} on ${product}`,
  badgeToRun: (name: string, product: string) => `Run ${name} on ${product}`,
} as const;
