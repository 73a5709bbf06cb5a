// The server names the folders of a session by the same rule; the page only displays them.
function folderName(address: string): string {
  const path = decoded(address.replace(/[?#].*$/s, "").replace(/\/+$/, ""));
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(":")) + 1);
  return last
    .replace(/[^A-Za-z0-9._+-]+/g, "-")
    .replace(/^[.+-]+|[.+-]+$/g, "")
    .slice(0, 90);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The folder of a repository in a session. "data" belongs to the datasets, so a repository of that name gets another. */
export function repositoryFolder(address: string): string {
  const name = folderName(address.replace(/\/+$/, "").replace(/\.git$/, "")) || "repository";
  return `work/${name === "data" ? "data-repository" : name}`;
}

/** The folder of a dataset in a session, unless another one has the same name. */
export function datasetFolder(address: string): string {
  return `work/data/${folderName(address) || "dataset"}`;
}
