export const connectionReviewMessages = {
  title: (host: string) => `Keep this connection with ${host}?`,
  account: "Account",
  nobody: (host: string) => `${host} doesn't say whose it is`,
  rights: (product: string) => `What ${product} may really do with it`,
  scopes: (host: string, scopes: readonly string[]) => `As ${host} calls it: ${scopes.join(", ")}`,
  tooMuch: "This is more than reading takes",
  onlyReads: (product: string) =>
    `${product} only reads with it. It's safer not to grant more: don't keep this one, and use a personal token that may only read.`,
  keep: "Keep it",
  keepOne: (host: string) => `Keep it: ${host}`,
  refuse: "Don't keep it",
  refuseOne: (host: string) => `Don't keep it: ${host}`,
  forgotten: "Unless you keep it, it's forgotten ten minutes after it was made.",
  replaces: "If you keep it, it takes the place of the earlier connection.",
  kept: "Connected",
  notKept: "The connection wasn't kept.",
  notRemoved: "The connection wasn't removed.",
} as const;
