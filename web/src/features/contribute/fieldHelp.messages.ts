export const fieldHelpMessages = {
  description: "Optional. Markdown: **bold**, lists, tables, links. Up to 20,000 characters.",
  headerImage: "Optional. The web address of a picture. It is shown on the card.",
  tags: "Optional. Enter adds one. Up to 30, each up to 60 characters; a comma may be part of a tag.",
  authors:
    "E-mail addresses. Authors may change and delete the entry, and see it while it is private; they need no account yet.",
  datasetUrl: "It begins with https://. Sessions read it from there.",
  notebookPath: "As in https://github.com/owner/name/blob/main/analysis.ipynb: on GitHub, or wherever the file is.",
  applicationInterfaceId: "What the workflow platform calls the application that runs this model.",
  version: "Optional. As people cite it, for instance 2.1.",
} as const;
