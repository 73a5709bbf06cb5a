// The query keys of all cached entries, by the shape of their data. patchEntry updates every shape.
const all = ["resources"] as const;
const pages = [...all, "pages"] as const;
const lists = [...all, "lists"] as const;
const pickers = [...all, "pickers"] as const;

export const entryKeys = {
  all,
  /** Each is a ResourcePage. */
  pages,
  search: (filters: object) => [...pages, "search", filters] as const,
  kind: (type: string, filters: object) => [...pages, "kind", type, filters] as const,
  person: (id: string, page: number) => [...pages, "person", id, page] as const,
  landing: () => [...pages, "landing"] as const,
  /** Each is a Resource[]. */
  lists,
  starred: (email: string) => [...lists, "starred", email] as const,
  /** A Resource. */
  one: (id: string) => [...all, "one", id] as const,
  /** Any shape: the pickers of a project, which are never shown together with controls that change an entry. */
  pickers,
  parts: (type: string, text: string, email: string) => [...pickers, "parts", type, text, email] as const,
  part: (id: string) => [...pickers, "one", id] as const,
  /** Data about an entry. */
  citation: (id: string) => [...all, "citation", id] as const,
  related: (id: string) => [...all, "related", id] as const,
  score: (id: string, updatedAt: string) => [...all, "score", id, updatedAt] as const,
};
