import { quoted } from "./quoted.messages";

export const draftMessages = {
  signedOut: "Please log in again.",
  noName: "Please enter a project name.",
  noRepository: "Please select a repository.",
  hidden: (parts: string[]) => `${quoted(parts)}: private. All parts of a published project must be public.`,
} as const;
