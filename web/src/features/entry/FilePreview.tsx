import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useId, useState } from "react";
import type { DatasetEntry } from "@/api/types";
import { useVersion } from "@/api/version";
import { fileSize } from "@/lib/measures";
import { Filled } from "@/ui/Filled";
import { Icon } from "@/ui/Icon";
import { tableQuery } from "./datasetQueries";
import { filePreviewMessages as messages } from "./FilePreview.messages";
import styles from "./FilePreview.module.css";
import { Failed, Waiting } from "./FileStates";
import { TablePreview } from "./TablePreview";

const FileText = lazy(async () => ({ default: (await import("./FileText")).FileText }));
const StructurePreview = lazy(async () => ({ default: (await import("./StructurePreview")).StructurePreview }));
const FileDigest = lazy(async () => ({ default: (await import("./FileDigest")).FileDigest }));

interface FilePreviewProps {
  /** Of the dataset. */
  id: string;
  entry: DatasetEntry;
  /** The path of the file in a session. */
  inSession: string;
  /** The address of downloads, up to the path of a file; undefined if the visitor may not. */
  download: string | undefined;
}

/** A preview of a dataset's file. */
export function FilePreview({ id, entry, inSession, download }: FilePreviewProps) {
  const heading = useId();
  const [asked, setAsked] = useState(false);
  return (
    <section className={styles.file} aria-labelledby={heading}>
      <div className={styles.head}>
        <h3 id={heading} className={styles.name}>
          <bdi>{entry.name}</bdi>
        </h3>
        {download && entry.type === "file" && (
          <div className={styles.downloads}>
            <DownloadLink
              to={download + encodeURIComponent(entry.path)}
              text={messages.download(fileSize(entry.size))}
            />
            {asked ? (
              <Suspense>
                <FileDigest id={id} path={entry.path} />
              </Suspense>
            ) : (
              <button type="button" className={styles.ask} onClick={() => setAsked(true)}>
                {messages.digest}
              </button>
            )}
          </div>
        )}
      </div>
      {entry.preview === "TABLE" ? (
        <TableOf id={id} path={entry.path} />
      ) : entry.preview === "NONE" ? (
        <p className={styles.note}>
          {entry.type === "other" ? messages.notAFile : messages.noPreview}{" "}
          <Filled text={messages.inSession} values={{ path: <code>{inSession}</code> }} />
        </p>
      ) : (
        <Suspense fallback={<Waiting />}>
          {entry.preview === "STRUCTURE" ? (
            <StructurePreview id={id} path={entry.path} />
          ) : (
            <FileText id={id} path={entry.path} />
          )}
        </Suspense>
      )}
    </section>
  );
}

/** A link to a file that the browser keeps. */
export function DownloadLink({ to, text }: { to: string; text: string }) {
  return (
    <a className={styles.download} href={to} download>
      <Icon name="download" size={16} />
      {text}
    </a>
  );
}

function TableOf({ id, path }: { id: string; path: string }) {
  const [sheet, setSheet] = useState<string>();
  // The table before stays until the next is here, so that the choice of sheets keeps the focus.
  const { data, error, refetch } = useQuery({
    ...tableQuery(id, path, sheet, useVersion()),
    placeholderData: keepPreviousData,
  });
  if (error) return <Failed error={error} onRetry={() => refetch()} />;
  return data ? <TablePreview table={data} chosen={sheet} onChoose={setSheet} /> : <Waiting />;
}
