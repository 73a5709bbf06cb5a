import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { DatasetFolder } from "@/api/types";
import { datasetFolder } from "@/lib/folders";
import { webAddress } from "@/lib/links";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { DatasetFiles } from "./DatasetFiles";
import { datasetPreviewMessages as messages } from "./DatasetPreview.messages";
import styles from "./DatasetPreview.module.css";
import { folderQuery } from "./datasetQueries";
import { DownloadLink, FilePreview } from "./FilePreview";

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

function Data({ id, url }: DatasetPreviewProps) {
  const [path, setPath] = useState("");
  const [moved, setMoved] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const { data: folder, error, refetch } = useQuery(folderQuery(id, path));

  if (error) return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => refetch()} />;
  if (!folder) {
    return (
      <SkeletonPlace label={messages.loading}>
        <Skeleton height="8em" />
      </SkeletonPlace>
    );
  }
  if (!folder.available) return <p className={styles.note}>{folder.note}</p>;
  const { state, fileUrl, zipUrl } = folder.download;
  const entry = folder.entries.find((each) => each.path === chosen) ?? worthShowing(folder);
  return (
    <>
      <DatasetFiles
        folder={folder}
        shown={entry?.path}
        moved={moved}
        onOpen={(next) => {
          setPath(next);
          setMoved(true);
          setChosen(undefined);
        }}
        onChoose={setChosen}
      />
      {zipUrl ? (
        <DownloadLink to={zipUrl} text={messages.downloadAll} />
      ) : (
        state === "SIGN_IN" && <p className={styles.note}>{messages.signIn}</p>
      )}
      {entry && (
        <FilePreview
          key={entry.path}
          id={id}
          entry={entry}
          inSession={`${datasetFolder(url)}/${entry.path}`}
          download={fileUrl}
        />
      )}
    </>
  );
}

/** The file that is previewed by default: the folder's first table, else its first README. */
function worthShowing({ entries }: DatasetFolder) {
  const first = (preview: string) => entries.find((each) => each.preview === preview);
  return first("TABLE") ?? first("MARKDOWN");
}
