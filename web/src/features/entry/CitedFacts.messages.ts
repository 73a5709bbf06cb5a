import { relationWords, roleWords } from "@/features/catalog/cited.messages";

export const citedFactsMessages = {
  orcid: (name: string) => `${name} at ORCID`,
  role: (role: string) => roleWords[role as keyof typeof roleWords] ?? role,
  relation: (relation: string) => relationWords[relation as keyof typeof relationWords] ?? relation,
  award: (number: string) => `award ${number}`,
} as const;
