import { placeholder } from "./list/placeholder.messages";

export const kindPageMessages = {
  search: (noun: string) => `Search ${noun}`,
  placeholder,
  failure: (noun: string) => `The ${noun} couldn't be loaded.`,
  none: (noun: string) => `There are no ${noun} yet.`,
  noneDetail: "They appear here as soon as someone adds one.",
  add: "Add an entry",
  noMatch: (text: string) => `Nothing matches “${text}”.`,
  noMatchDetail: "Try fewer or shorter words.",
  all: (noun: string) => `Show all ${noun}`,
} as const;
