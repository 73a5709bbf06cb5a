import { quoted } from "./quoted.messages";

export const partsMessages = {
  gone: "Deleted, or private to its authors",
  othersCannotStart: (hidden: string[]) =>
    `Others can't start it: ${quoted(hidden)} ${hidden.length > 1 ? "are" : "is"} private.`,
  onlyOffered: "It can be started once you have accepted it.",
  /** Why it can't be started: the missing parts. */
  unavailable: (repository: boolean, datasets: number) => {
    const parts = [
      ...(repository ? ["its repository"] : []),
      ...(datasets > 0 ? [datasets === 1 ? "one of its datasets" : `${datasets} of its datasets`] : []),
    ];
    const text = parts.join(" and ") || "part of it";
    const many = parts.length > 1 || datasets > 1;
    return `It can't be started: ${text} ${many ? "were deleted or are" : "was deleted or is"} private to someone else.`;
  },
} as const;
