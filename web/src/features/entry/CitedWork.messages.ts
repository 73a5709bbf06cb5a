import { relationWords } from "@/features/catalog/cited.messages";

export const citedWorkMessages = {
  funding: "Funding",
  related: "Related",
  relation: (relation: string) => relationWords[relation as keyof typeof relationWords] ?? relation,
  award: (number: string) => `award ${number}`,
  language: "Language",
  /** DataCite's name of a role as words: all of them read as such. */
  role: (role: string) => role.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
} as const;
