import { count } from "@/lib/format";

/** The words of the page of licences. Texts of licences are data. */

export const licensesPageMessages = {
  title: "Licences",
  subtitle: "Cairn is free software. This is all that it is made of, with the licence of each part.",
  own: "Cairn itself",
  others: "Everything else is the work of others. The name of a Go module is the address of its source.",
  find: "Find a part or a licence",
  findHint: "For instance react, or BSD",
  all: (parts: number) => count(parts, "part", "parts"),
  some: (found: number, parts: number) => `${found} of ${count(parts, "part", "parts")}`,
  none: (text: string) => `No part and no licence matches “${text}”.`,
  showAll: "Show all",
  loading: "Loading the licences",
  failed: "The licences could not be read.",
} as const;

export const componentMessages = {
  kinds: { product: "Program", go: "Go module", npm: "npm package" },
  link: (name: string) => `Link to ${name}`,
} as const;
