export const notebookFrameMessages = {
  reading: "Reading the notebook",
  all: "Show all",
  less: "Show less",
  fullPage: "Open full page",
} as const;
