const address = /^(?:kept:|https?:\/\/[^/]+\/kept\/)[0-9a-f-]{36}\/v(\d+)(?:\/|$)/;

/** The addresses of an entry. */
interface Addresses {
  datasetUrl?: string;
  notebookSource?: string;
  repositoryUrl?: string;
}

/** The version of an entry's files that this server keeps; undefined if they are elsewhere. People never type their addresses. */
export function keptVersion({ datasetUrl, notebookSource, repositoryUrl }: Addresses): number | undefined {
  const found = address.exec(datasetUrl ?? notebookSource ?? repositoryUrl ?? "");
  return found ? Number(found[1]) : undefined;
}
