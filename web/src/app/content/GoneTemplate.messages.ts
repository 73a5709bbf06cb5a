export const goneTemplateMessages = {
  lifetime: "It was public from {issued} until {deleted}.",
  identifier: "Its DOI is {doi}.",
  browse: "Browse the catalog",
} as const;
