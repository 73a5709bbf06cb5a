import { quoted } from "./quoted.messages";

export const draftMessages = {
  signedOut: "Please log in again.",
  noName: "Please enter a project name.",
  noRepository: "Please select a repository.",
  unusable: (part: string) =>
    `“${part}” can't be part of this project: it was deleted, isn't visible to you, is of another type, or is private.`,
  hidden: (parts: string[]) =>
    `${quoted(parts)} ${parts.length > 1 ? "are" : "is"} private. All parts of a published project must be public.`,
} as const;
