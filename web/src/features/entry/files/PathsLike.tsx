import { useQuery } from "@tanstack/react-query";
import { folderQuery } from "./queries";

interface PathsLikeProps {
  /** The id of the repository. */
  entry: string;
  /** The id of the datalist. */
  list: string;
  typed: string;
}

/** A datalist of what is in the folder of a path that somebody types: folders end in a slash, and lead on. */
export function PathsLike({ entry, list, typed }: PathsLikeProps) {
  const folder = typed.slice(0, Math.max(0, typed.lastIndexOf("/")));
  const { data } = useQuery(folderQuery(entry, folder));
  return (
    <datalist id={list}>
      {data?.entries.map(({ path, type }) => (
        <option key={path} value={type === "dir" ? `${path}/` : path} />
      ))}
    </datalist>
  );
}
