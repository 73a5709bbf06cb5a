export const operatorsOnlyMessages = {
  refused: "Only operators can see what this server does.",
  catalog: "Go to the catalog",
  unknown: "Your operator role couldn't be checked.",
} as const;
