import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { fileKeys, folderQuery } from "./queries";

interface PathsLikeProps {
  /** The id of the repository. */
  entry: string;
  /** The id of the datalist. */
  list: string;
  typed: string;
}

/** A datalist of what is in the folder of a path that somebody types: folders end in a slash, and lead on. */
export function PathsLike({ entry, list, typed }: PathsLikeProps) {
  const client = useQueryClient();
  const folder = typed.slice(0, Math.max(0, typed.lastIndexOf("/")));
  const { data } = useQuery({
    queryKey: fileKeys.typed(entry, folder),
    queryFn: () => listing(client, entry, folder),
    retry: false,
  });
  return (
    <datalist id={list}>
      {data?.map(({ path, type }) => (
        <option key={path} value={type === "dir" ? `${path}/` : path} />
      ))}
    </datalist>
  );
}

/** Lists a folder by way of those above it, so that code hosts aren't asked for folders that somebody mistyped. */
async function listing(client: QueryClient, entry: string, folder: string) {
  let { entries } = await client.fetchQuery(folderQuery(entry, ""));
  for (let end = folder.indexOf("/"); folder !== ""; end = folder.indexOf("/", end + 1)) {
    const above = end < 0 ? folder : folder.slice(0, end);
    if (!entries.some(({ path, type }) => path === above && type === "dir")) return [];
    ({ entries } = await client.fetchQuery(folderQuery(entry, above)));
    if (end < 0) break;
  }
  return entries;
}
