import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Session, Version, VersionFile } from "@/api/types";
import { moment } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Pager } from "@/ui/list/Pager";
import { Link } from "@/ui/router";
import { LeftOut } from "../LeftOut";
import { openInNewTab } from "../openInNewTab";
import { DownloadButton } from "./DownloadButton";
import { type VersionsPlace, waysTo, writePlace } from "./place";
import { filesQuery, pageSize } from "./queries";
import { RestoreDialog } from "./RestoreDialog";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

interface VersionViewProps {
  session: Session;
  version: Version;
  place: VersionsPlace;
}

/** One version: when and why it was saved, its files, and what can be done with it. */
export function VersionView({ session, version, place }: VersionViewProps) {
  const queries = useQueryClient();
  const [restoring, setRestoring] = useState<string>();
  const [opening, setOpening] = useState(false);
  const at = moment(version.at);
  // No mutation: that would open the tab a moment after the click, which blockers mind.
  const open = () => {
    setOpening(true);
    const name = messages.newName(session.sessionName, at);
    const wish = { fromVersion: { session: session.id, version: version.id }, name };
    void openInNewTab({ do: "run", wish, title: name }, queries).finally(() => setOpening(false));
  };
  return (
    <>
      <div className={styles.head}>
        <h2>{version.name || messages.versionAt(at)}</h2>
        <p className={styles.quiet}>
          {messages.about(
            version.name === "" ? undefined : at,
            messages.causes[version.cause],
            version.files,
            fileSize(version.bytes),
          )}
        </p>
        <LeftOut label={messages.leftOut} leftOut={version.leftOut} />
        <div className={styles.actions}>
          <Button size="small" onClick={() => setRestoring("")}>
            <Icon name="sync" size={16} /> {messages.restoreAll}
          </Button>
          <Button size="small" busy={opening} onClick={open}>
            <Icon name="play" size={16} /> {messages.openNew}
          </Button>
          <DownloadButton session={session.id} version={version.id} path="" />
        </div>
      </div>
      <Way place={place} />
      <Files
        key={`${version.id}/${place.folder}`}
        session={session}
        version={version}
        place={place}
        onRestore={setRestoring}
      />
      {restoring !== undefined && (
        <RestoreDialog session={session} version={version} path={restoring} onClose={() => setRestoring(undefined)} />
      )}
    </>
  );
}

/** The way from the work folder to the one that is shown. */
function Way({ place }: { place: VersionsPlace }) {
  const ways = [{ name: messages.root, path: "" }, ...waysTo(place.folder)];
  return (
    <nav aria-label={messages.way}>
      <ol className={styles.crumbs}>
        {ways.map(({ name, path }, index) => (
          <li key={path}>
            <bdi>
              {index === ways.length - 1 ? (
                <span aria-current="location">{name}</span>
              ) : (
                <Link to={{ search: writePlace({ ...place, folder: path }) }}>{name}</Link>
              )}
            </bdi>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface FilesProps extends VersionViewProps {
  onRestore: (path: string) => void;
}

function Files({ session, version, place, onRestore }: FilesProps) {
  const [page, setPage] = useState(1);
  const top = useRef<HTMLDivElement>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery(filesQuery(session.id, version.id, place.folder, page));
  if (error) {
    return <ErrorState title={messages.filesFailed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return (
      <SkeletonPlace label={messages.filesLoading}>
        <Skeleton height="12em" />
      </SkeletonPlace>
    );
  }
  if (data.totalElements === 0) return <p className={styles.quiet}>{messages.emptyFolder}</p>;
  return (
    <div ref={top} className={styles.list} tabIndex={-1} aria-busy={isPlaceholderData}>
      <table className={styles.files}>
        <thead>
          <tr>
            <th scope="col">{messages.fileName}</th>
            <th scope="col" className={styles.size}>
              {messages.size}
            </th>
            <th scope="col">
              <span className="visually-hidden">{messages.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.content.map((file) => (
            <Row key={file.path} file={file} place={{ ...place, version: version.id }} onRestore={onRestore} />
          ))}
        </tbody>
      </table>
      <Pager page={page} pages={Math.ceil(data.totalElements / pageSize)} onPage={setPage} list={top} />
    </div>
  );
}

interface RowProps {
  file: VersionFile;
  place: VersionsPlace;
  onRestore: (path: string) => void;
}

function Row({ file: { name, path, kind, bytes }, place, onRestore }: RowProps) {
  const target = kind === "folder" ? { ...place, folder: path } : { ...place, file: path, page: 1 };
  return (
    <tr>
      <th scope="row">
        <span className={styles.name}>
          <Icon name={kind === "folder" ? "folder" : kind === "link" ? "link" : "file"} filled={kind === "folder"} />
          {kind !== "file" && (
            <span className="visually-hidden">{kind === "folder" ? messages.folder : messages.link}</span>
          )}
          {kind === "link" ? (
            <bdi>{name}</bdi>
          ) : (
            <Link to={{ search: writePlace(target) }}>
              <bdi>{name}</bdi>
            </Link>
          )}
        </span>
      </th>
      <td className={styles.size}>{kind === "file" && fileSize(bytes)}</td>
      <td className={styles.action}>
        <Button variant="quiet" size="small" aria-label={messages.restoreOne(name)} onClick={() => onRestore(path)}>
          <Icon name="sync" size={16} />
          <span className={styles.word}>{messages.restore}</span>
        </Button>
      </td>
    </tr>
  );
}
