export const withdrawnVersionMessages = {
  title: (version: string) => `Version ${version} was withdrawn`,
  heading: "This version was withdrawn",
  meaning: "Its files aren't shown any more. Don't use copies of them for new work.",
  latest: "See the latest version",
} as const;
