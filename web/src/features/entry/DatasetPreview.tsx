import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { DatasetFolder } from "@/api/types";
import { useVersion } from "@/api/version";
import { datasetFolder } from "@/lib/folders";
import { webAddress } from "@/lib/links";
import { shownName } from "@/lib/repositoryFiles";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { DatasetFiles, DatasetWay } from "./DatasetFiles";
import { datasetPreviewMessages as messages } from "./DatasetPreview.messages";
import styles from "./DatasetPreview.module.css";
import { folderQuery, totalQuery } from "./datasetQueries";
import { DownloadLink, FilePreview } from "./FilePreview";
import { useFolder } from "./files/useFolder";

interface DatasetPreviewProps {
  /** Of the entry. */
  id: string;
  /** Where its data is. */
  url: string;
}

/** The content of a dataset on this server: its files, and a preview of one of them. */
export function DatasetPreview({ id, url }: DatasetPreviewProps) {
  const address = webAddress(url);
  return (
    <section className={styles.preview} aria-labelledby="files">
      <h2 id="files">{messages.title}</h2>
      {address === undefined ? (
        <Data id={id} url={url} />
      ) : (
        <p className={styles.note}>{messages.elsewhere(new URL(address).host)}</p>
      )}
    </section>
  );
}

function Data(props: DatasetPreviewProps) {
  const folder = useFolder();
  const { data, error, refetch } = useQuery(folderQuery(props.id, folder.path, useVersion()));
  if (data && !data.available) return <p className={styles.note}>{data.note}</p>;
  return (
    <>
      <DatasetWay path={folder.path} onOpen={(path) => folder.go(folder.enter(path))} />
      {error ? (
        <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => refetch()} />
      ) : data ? (
        <Content {...props} listing={data} folder={folder} />
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="8em" />
        </SkeletonPlace>
      )}
    </>
  );
}

interface ContentProps extends DatasetPreviewProps {
  listing: DatasetFolder;
  folder: ReturnType<typeof useFolder>;
}

function Content({ id, url, listing, folder }: ContentProps) {
  const { state, fileUrl, zipUrl } = listing.download;
  const { file } = folder;
  const entry = file === undefined ? worthShowing(listing) : listing.entries.find(({ path }) => path === file);
  return (
    <>
      <DatasetFiles
        folder={listing}
        shown={entry?.path}
        onOpen={(path) => folder.go(folder.enter(path))}
        onChoose={folder.open}
      />
      {zipUrl && <AllFiles id={id} to={zipUrl} />}
      {state === "SIGN_IN" && <p className={styles.note}>{messages.signIn}</p>}
      {entry ? (
        <FilePreview
          key={entry.path}
          id={id}
          entry={entry}
          inSession={`${datasetFolder(url)}/${entry.path}`}
          download={fileUrl}
        />
      ) : (
        file !== undefined && (
          <p className={styles.note} role="status">
            {messages.missing(shownName(file))}
          </p>
        )
      )}
    </>
  );
}

/** The download of all files, with how many there are. */
function AllFiles({ id, to }: { id: string; to: string }) {
  const { data } = useQuery(totalQuery(id, useVersion()));
  return <DownloadLink to={to} text={messages.allFiles(data)} />;
}

/** The file that is previewed by default: the folder's first table, else its first file of arrays, else its first README. */
function worthShowing({ entries }: DatasetFolder) {
  const first = (preview: string) => entries.find((each) => each.preview === preview);
  return first("TABLE") ?? first("STRUCTURE") ?? first("MARKDOWN");
}
