import { useQuery } from "@tanstack/react-query";
import { linkIn, shownName } from "@/lib/repositoryFiles";
import { Icon } from "@/ui/Icon";
import { Markdown } from "@/ui/Markdown";
import { textQuery } from "./queries";
import styles from "./Readme.module.css";

interface ReadmeProps {
  id: string;
  path: string;
  /** Of the host's pages of files, for links inside the text. */
  filesUrl: string;
  markdown: boolean;
}

/** The README of a folder. Nothing when it can't be loaded: the list above it links to it. */
export function Readme({ id, path, filesUrl, markdown }: ReadmeProps) {
  const { data } = useQuery(textQuery(id, path));
  if (!data || data.text.trim() === "") return null;
  const name = shownName(path.slice(path.lastIndexOf("/") + 1));
  return (
    <article className={styles.readme} aria-label={name}>
      <p className={styles.name}>
        <Icon name="book" size={16} />
        {name}
      </p>
      {markdown ? (
        <Markdown text={data.text} link={(href) => linkIn(filesUrl, path, href)} withoutHtml />
      ) : (
        <pre className={styles.plain}>{data.text}</pre>
      )}
    </article>
  );
}
