import { useQuery } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { linkIn, pictureIn, shownName } from "@/lib/repositoryFiles";
import { Icon } from "@/ui/Icon";
import { Markdown } from "@/ui/Markdown";
import { pictureAddress } from "../pictureAddress";
import { textQuery } from "./queries";
import styles from "./Readme.module.css";

interface ReadmeProps {
  resource: Resource;
  path: string;
  /** Of the host's pages of files, for links inside the text. */
  filesUrl: string;
  markdown: boolean;
}

/** The README of a folder. Nothing when it can't be loaded: the list above it links to it. */
export function Readme({ resource, path, filesUrl, markdown }: ReadmeProps) {
  const version = useVersion();
  const { data } = useQuery(textQuery(resource.id, path, version));
  if (!data || data.text.trim() === "") return null;
  const name = shownName(path.slice(path.lastIndexOf("/") + 1));
  // A README that is a symbolic link names what is beside the file that it leads to.
  const picture = (src: string) => {
    const found = pictureIn(data.path, src);
    return found && pictureAddress(resource, found, version);
  };
  return (
    <article className={styles.readme} aria-label={name}>
      <p className={styles.name}>
        <Icon name="book" size={16} />
        {name}
      </p>
      {markdown ? (
        <Markdown text={data.text} link={(href) => linkIn(filesUrl, data.path, href)} picture={picture} html />
      ) : (
        <pre className={styles.plain}>{data.text}</pre>
      )}
    </article>
  );
}
