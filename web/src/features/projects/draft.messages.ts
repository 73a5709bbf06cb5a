import { quoted } from "./quoted.messages";

export const draftMessages = {
  signedOut: "Please log in again.",
  noName: "Please enter a project name.",
  noRepository: "Please select a repository.",
  unusable: (part: string) =>
    `“${part}” can't be part of this project: it's gone, not visible to you, of another type, or private.`,
  hidden: (parts: string[]) => `${quoted(parts)}: private. All parts of a published project must be public.`,
} as const;
