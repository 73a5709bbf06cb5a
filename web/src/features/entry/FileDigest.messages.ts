export const fileDigestMessages = {
  name: "SHA-256",
  beginning: (digest: string) => `${digest.slice(0, 12)}\u2026`,
  waiting: "is being computed",
  explanation: "If the file that you downloaded has the same digest, for instance by sha256sum, it arrived unchanged.",
  copy: "Copy the SHA-256 digest",
} as const;
