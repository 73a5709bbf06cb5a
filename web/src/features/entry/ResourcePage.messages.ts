export const resourcePageMessages = {
  waitingTitle: "Entry",
  download: "Download",
  edit: "Edit",
  delete: "Delete",
  facts: "Facts",
  about: "About",
  parts: "Parts of this page",
  /** By the ids of their elements. */
  partNames: { about: "About", files: "Files", notebook: "Notebook", use: "Use", runs: "Runs" },
  noDescription: "No description.",
  loading: "Loading the entry",
  failure: "The entry couldn't be loaded.",
} as const;
