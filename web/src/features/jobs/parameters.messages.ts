import type { Parameter } from "@/api/types";

export const parameterMessages = {
  missing: "The notebook gives it no value, so enter one.",
  number: "Enter a number, such as 0.5.",
  integer: "Enter a whole number, such as 5.",
  large: "Whole numbers this large can't be set here.",
  list: "Write a list in JSON, such as [1, 2].",
  object: 'Write an object in JSON, such as {"a": 1}.',
  none: "No value (null)",
  noneOf: (name: string) => `No value (null) for ${name}`,
  reset: "Reset to default",
  resetOne: (name: string) => `Reset ${name} to its default`,
  jsonHelp: { list: "A list in JSON.", object: "An object in JSON." },
  needed: "It needs a value.",
  unknown: "Set in the notebook",
  unknownWhy: "It isn't plain text, a number, a list or an object, so it can't be set here.",
  title: "Values",
  unread: "Lines of the cell that can't be set here",
  noneDeclared:
    "This notebook doesn't say which values can be set. To offer some in Python or R, put them into one cell, such as {example}, and give that cell the tag {tag}. It can be run as it is.",
  example: "threshold = 0.5",
  tag: "parameters",
  loading: "Reading which values can be set",
  failed: "Which values can be set couldn't be read.",
  failedMeans: "The notebook can still be run with its own values.",
  retry: "Try again",
} as const;

/** What is wrong with a value that isn't of its type. */
export const wrongValue: Record<Exclude<Parameter["type"], "unknown" | "string" | "boolean">, string> = {
  number: parameterMessages.number,
  integer: parameterMessages.integer,
  list: parameterMessages.list,
  object: parameterMessages.object,
};
