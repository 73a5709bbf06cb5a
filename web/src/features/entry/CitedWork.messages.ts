import { relationWords } from "@/features/catalog/cited.messages";

export const citedWorkMessages = {
  funding: "Funding",
  related: "Related",
  relation: (relation: string) => relationWords[relation as keyof typeof relationWords] ?? relation,
  award: (number: string) => `award ${number}`,
} as const;
