import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Session, Version, VersionDiff } from "@/api/types";
import { moment } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { DiffCells } from "./DiffCells";
import { DiffLines } from "./DiffLines";
import { DownloadButton } from "./DownloadButton";
import { folderOf, isNotebook, isPicture, nameOf, type VersionsPlace, writePlace } from "./place";
import { diffQuery, fileOf } from "./queries";
import { RestoreDialog } from "./RestoreDialog";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

interface FileViewProps {
  session: Session;
  version: Version;
  place: VersionsPlace;
}

/** A file of a version beside the present one. The list beside it is the file's history. */
export function FileView({ session, version, place }: FileViewProps) {
  const [restoring, setRestoring] = useState(false);
  const { file } = place;
  return (
    <>
      <div className={styles.head}>
        <LinkButton
          variant="quiet"
          size="small"
          to={writePlace({ ...place, version: version.id, file: "", folder: folderOf(file) }) || "?"}
        >
          <Icon name="arrowLeft" size={16} /> {messages.close}
        </LinkButton>
        <h2>
          <bdi>{nameOf(file)}</bdi>
        </h2>
        <p className={styles.quiet}>{messages.versionAt(moment(version.at))}</p>
        <div className={styles.actions}>
          <Button size="small" variant="primary" onClick={() => setRestoring(true)}>
            <Icon name="sync" size={16} /> {messages.restore}
          </Button>
          <DownloadButton session={session.id} version={version.id} path={file} />
          {isNotebook(file) && session.status !== "DELETED" && (
            <LinkButton size="small" to={`/jobs/new?${new URLSearchParams({ session: session.id, path: file })}`}>
              {messages.runWith}
            </LinkButton>
          )}
        </div>
      </div>
      <h3>{messages.compare}</h3>
      {isPicture(file) ? (
        <Pictures session={session.id} version={version.id} path={file} />
      ) : (
        <Difference session={session.id} version={version.id} path={file} />
      )}
      {restoring && (
        <RestoreDialog session={session} version={version} path={file} onClose={() => setRestoring(false)} />
      )}
    </>
  );
}

interface PartProps {
  session: string;
  version: string;
  path: string;
}

function Difference({ session, version, path }: PartProps) {
  const { data, error, refetch } = useQuery(diffQuery(session, version, path));
  if (error) {
    return <ErrorState title={messages.compareFailed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return (
      <SkeletonPlace label={messages.comparing}>
        <Skeleton height="12em" />
      </SkeletonPlace>
    );
  }
  return <Differences diff={data} />;
}

function Differences({ diff: { cells, lines, cut } }: { diff: VersionDiff }): ReactNode {
  const changed = (cells ?? lines ?? []).some(({ op }) => op !== "same");
  if (!changed) return <p>{messages.same}</p>;
  return (
    <>
      {cells ? <DiffCells cells={cells} copied /> : <DiffLines label={messages.compare} lines={lines ?? []} />}
      {cut && <p className={styles.quiet}>{messages.cut}</p>}
    </>
  );
}

/** A picture of a version beside the present one. */
function Pictures({ session, version, path }: PartProps) {
  return (
    <div className={styles.pair}>
      <Picture session={session} version={version} path={path} title={messages.sides.version} />
      <Picture session={session} version="present" path={path} title={messages.sides.present} />
    </div>
  );
}

function Picture({ session, version, path, title }: PartProps & { title: string }) {
  const { data, error } = useQuery({
    queryKey: ["sessions", session, "versions", version, "picture", path],
    queryFn: ({ signal }) => fileOf(session, version, path, signal),
    retry: false,
  });
  const address = useAddressOf(data);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {error ? (
        <p className={styles.quiet}>{messageOf(error)}</p>
      ) : address === undefined ? (
        <Skeleton height="12em" />
      ) : (
        <img src={address} alt={messages.pictureOf(title, nameOf(path))} />
      )}
    </figure>
  );
}

/** An address of content in memory, for as long as it is shown. */
function useAddressOf(content: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!content) return;
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address;
}
