export const citeDialogMessages = {
  title: (kind: string) => `Cite this ${kind.toLowerCase()}`,
  loading: "Looking for a citation in the repository",
  formats: "Formats",
  copy: (format: string) => `citation as ${format}`,
  asAsked: "As the repository asks in its file CITATION.cff.",
  guessed:
    "Names are read from the authors' e-mail addresses; one that spells no name stands as it is. The date is the day when it was added here. Check them.",
} as const;
