import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { DiffCells } from "@/features/sessions/versions/DiffCells";
import { DiffLines } from "@/features/sessions/versions/DiffLines";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { entryVersionsMessages as messages } from "./EntryVersions.messages";
import { versionChangesQuery } from "./queries";
import type { ChangedFile } from "./shapes";

interface VersionChangesProps {
  id: string;
  from: number;
  to: number;
}

const shownAtFirst = 20;

/** The files that differ in two versions of an entry, with their lines or cells. */
export function VersionChanges({ id, from, to }: VersionChangesProps) {
  const [all, setAll] = useState(false);
  const { data, error, isFetching, refetch } = useQuery(versionChangesQuery(id, from, to));
  if (!data) {
    if (error)
      return (
        <ErrorState
          title={messages.compareFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      );
    return (
      <SkeletonPlace label={messages.comparing}>
        <Skeleton height="8em" />
      </SkeletonPlace>
    );
  }
  const { files, more = 0 } = data;
  const shown = all ? files : files.slice(0, shownAtFirst);
  return (
    <div className="up-part">
      <p role="status">{files.length === 0 && more === 0 ? messages.nothing : messages.fromTo(from, to)}</p>
      {shown.map((file) => (
        <FileChange key={file.path} file={file} titles={messages.lines(from, to)} />
      ))}
      {shown.length < files.length && (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            {messages.showFiles(files.length - shown.length)}
          </Button>
        </div>
      )}
      {more > 0 && <p className="up-quiet">{messages.moreFiles(more)}</p>}
    </div>
  );
}

interface FileChangeProps {
  file: ChangedFile;
  titles: { added: string; removed: string };
}

function FileChange({ file, titles }: FileChangeProps) {
  const { path, change, lines, cells, cut } = file;
  const [open, setOpen] = useState(false);
  const size = sizeOf(file);
  return (
    <details className="up-change" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{path}</bdi>{" "}
        <span className="up-quiet">
          {messages.changes[change]}
          {size && `, ${size}`}
        </span>
      </summary>
      {open && (
        <div className="up-change-body">
          {cells ? (
            <DiffCells cells={cells} titles={titles} />
          ) : lines ? (
            <DiffLines label={messages.linesOf(path)} lines={lines} titles={titles} />
          ) : (
            <p className="up-quiet">{messages.noLines}</p>
          )}
          {cut && <p className="up-quiet">{messages.cut}</p>}
        </div>
      )}
    </details>
  );
}

function sizeOf({ change, bytesBefore, bytesAfter }: ChangedFile): string {
  if (change === "added") return fileSize(bytesAfter);
  return change === "removed" ? fileSize(bytesBefore) : messages.sizes(fileSize(bytesBefore), fileSize(bytesAfter));
}
