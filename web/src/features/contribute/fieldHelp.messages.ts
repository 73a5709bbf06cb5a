export const fieldHelpMessages = {
  description: "Optional. Markdown: **bold**, lists, tables, links, formulas like $x^2$. Up to 20,000 characters.",
  headerImage: "Optional. The web address of a picture, shown on the card.",
  tags: "Optional. Press Enter to add one. Up to 30, each up to 60 characters; tags can contain commas.",
  authors:
    "E-mail addresses. Authors can change and delete the entry, and see it while it's private. They don't need an account yet.",
  datasetUrl: "Starts with https://, or is the DOI of data at an archive. Sessions read the data from there.",
  notebookPath:
    "For example https://github.com/owner/name/blob/main/analysis.ipynb. It can be on any code host, or anywhere else on the web.",
  applicationInterfaceId: "The workflow platform's id of the application that runs this model.",
  version: "Optional. The version to cite, such as 2.1.",
  doi: "Optional. The DOI of this work, such as 10.5281/zenodo.1234.",
  license: "Optional. An SPDX license identifier, such as CC-BY-4.0 or MIT.",
  language: "Optional. Language code, such as en, de or pt-BR.",
} as const;
