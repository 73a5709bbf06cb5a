export const citedFactsMessages = {
  orcid: (name: string) => `${name} at ORCID`,
  /** DataCite's name of a role as words: all of them read as such. */
  role: (role: string) => role.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
} as const;
