export const fileTextMessages = {
  empty: "This file is empty.",
  text: (path: string) => `Text of ${path}`,
  beginning: (size: string) => `The first part of a ${size} file.`,
} as const;
