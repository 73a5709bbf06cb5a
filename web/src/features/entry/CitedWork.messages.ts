import { relationWords, roleWords } from "@/features/catalog/cited.messages";

export const citedWorkMessages = {
  funding: "Funding",
  related: "Related",
  relation: (relation: string) => relationWords[relation as keyof typeof relationWords] ?? relation,
  award: (number: string) => `award ${number}`,
  language: "Language",
  role: (role: string) => roleWords[role as keyof typeof roleWords] ?? role,
} as const;
