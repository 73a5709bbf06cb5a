export const typeChoiceMessages = {
  title: "What the files can become in the catalog.",
  kinds: {
    NOTEBOOK: "One notebook that people read and run.",
    DATASET: "Files of data, with a preview of tables.",
    REPOSITORY: "Code or several notebooks that people run together.",
  },
  none: "The files can't become an entry. Choose a notebook, data or code.",
} as const;
