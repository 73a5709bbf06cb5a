export const fieldMessages = {
  name: "Name",
  description: "Description",
  headerImage: "Header image",
  tags: "Tags",
  authors: "Authors",
  privacy: "Who sees it",
  datasetUrl: "Web address of the data",
  notebookPath: "Web address of the notebook",
  applicationInterfaceId: "Application interface id",
  version: "Version",
} as const;
