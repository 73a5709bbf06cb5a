import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { FolderEntry } from "@/api/types";
import { count, fileSize, moment } from "@/lib/format";
import { fileAddress, shownName } from "@/lib/repositoryFiles";
import { LinkButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Loading } from "@/ui/Loading";
import styles from "./Preview.module.css";
import { textQuery } from "./queries";

interface PreviewProps {
  id: string;
  entry: FolderEntry;
  filesUrl: string;
  onClose: () => void;
}

/** A text of a repository, as it is, with the numbers of its lines. */
export function Preview({ id, entry, filesUrl, onClose }: PreviewProps) {
  const { data, error, refetch } = useQuery(textQuery(id, entry.path));
  return (
    <Dialog
      title={shownName(entry.name)}
      onClose={onClose}
      wide
      footer={
        filesUrl !== "" && (
          <LinkButton to={fileAddress(filesUrl, entry.path)} newTab>
            Open in GitHub
            <Icon name="external" />
          </LinkButton>
        )
      }
    >
      {data ? (
        <Lines text={data.text} size={entry.size} {...(data.stale && { asOf: data.asOf })} />
      ) : error ? (
        <ErrorState title="The file cannot be shown." message={messageOf(error)} onRetry={() => refetch()} />
      ) : (
        <Loading label="Loading the file" />
      )}
    </Dialog>
  );
}

function Lines({ text, size, asOf }: { text: string; size: number; asOf?: string }) {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return (
    <>
      <p className={styles.note}>
        {count(lines, "line", "lines")}, {fileSize(size)}
        {asOf && `, as of ${moment(asOf)}`}
      </p>
      {/* One text for all numbers and one for all lines: a long file is no longer than a short one for the browser. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Text">
        <pre className={styles.numbers} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
        </pre>
        <pre className={styles.text}>{text}</pre>
      </section>
    </>
  );
}
