import { quoted } from "./quoted.messages";

export const partsMessages = {
  gone: "Deleted, or private to its authors",
  othersCannotStart: (hidden: string[]) =>
    `Others cannot start it: ${quoted(hidden)} ${hidden.length > 1 ? "are" : "is"} private.`,
  /** Why it can't be started: the missing parts. */
  unavailable: (repository: boolean, datasets: number) => {
    const parts = [
      ...(repository ? ["its repository"] : []),
      ...(datasets > 0 ? [datasets === 1 ? "one of its datasets" : `${datasets} of its datasets`] : []),
    ];
    const text = parts.join(" and ") || "a part of it";
    return `It cannot be started: ${text} ${parts.length > 1 || datasets > 1 ? "are" : "is"} deleted, or private to others.`;
  },
} as const;
