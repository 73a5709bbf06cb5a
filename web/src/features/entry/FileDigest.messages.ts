export const fileDigestMessages = {
  name: "SHA-256",
  beginning: (digest: string) => `${digest.slice(0, 12)}\u2026`,
  waiting: "SHA-256 is being computed.",
  explanation:
    "If the file you downloaded has the same digest (check it with sha256sum, for instance), it arrived unchanged.",
  copy: "Copy the SHA-256 digest",
} as const;
