const paths = { NOTEBOOK: "notebooks", REPOSITORY: "repositories", DATASET: "datasets" } as const;

/** Where the page of an entry is that a session runs. */
export const entryPath = ({ id, type }: { id: string; type: keyof typeof paths }): string =>
  `/resources/${paths[type]}/${id}`;
