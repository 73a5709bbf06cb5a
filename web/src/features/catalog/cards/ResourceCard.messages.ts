import { count } from "@/lib/format";

export const resourceCardMessages = {
  run: (name: string) => `Run ${name}`,
  runShort: "Run",
  private: "Private",
  actions: (name: string) => `Actions for ${name}`,
  hide: "Hide",
  delete: "Delete",
  tags: "Tags",
  inFiles: "In its files:",
  moreTags: (tags: number | string) => `+${tags}`,
  moreAuthors: (authors: number) => `+${authors}`,
  /** Of the button that does `action`. */
  star: (action: string, name: string, stars: number) =>
    stars === 0 ? `${action} ${name}` : `${action} ${name}, ${count(stars, "star", "stars")}`,
} as const;
