import { placeholder } from "./list/placeholder.messages";

export const kindPageMessages = {
  search: (noun: string) => `Search ${noun}`,
  placeholder,
  failure: (noun: string) => `The ${noun} could not be read.`,
  none: (noun: string) => `There are no ${noun} yet.`,
  noneDetail: "They are shown here as soon as somebody adds one.",
  add: "Add an entry",
  noMatch: (text: string) => `Nothing matches “${text}”.`,
  noMatchDetail: "Try fewer or shorter words.",
  all: (noun: string) => `Show all ${noun}`,
} as const;
