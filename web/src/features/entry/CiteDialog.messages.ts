export const citeDialogMessages = {
  title: (kind: string) => `Cite this ${kind.toLowerCase()}`,
  loading: "Looking for a citation in the repository",
  formats: "Formats",
  copy: (format: string) => `citation as ${format}`,
  asAsked: "From the repository's CITATION.cff.",
  guessed: "Author names are guessed from e-mail addresses, and the date is when the entry was added. Check both.",
} as const;
