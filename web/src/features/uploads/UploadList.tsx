import { useState } from "react";
import { messageOf } from "@/api/problem";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { useFocusAfterRemoval } from "@/ui/useFocusAfterRemoval";
import { Unreadable } from "./digests";
import type { QueuedUpload } from "./queue";
import { uploadListMessages as messages } from "./UploadList.messages";
import type { Uploads } from "./useUploads";

/** How many uploads are shown at first. Those that need somebody always are. */
const shownAtFirst = 8;

const longestFileList = 1_000;

/** The uploads of this visit: how far they are together and each, with what can be done about them. */
export function UploadList({ uploads: { list, queue } }: { uploads: Uploads }) {
  const [all, setAll] = useState(false);
  const shown = list.filter(({ state }, at) => all || at < shownAtFirst || state === "failed");
  const { around, leaves } = useFocusAfterRemoval(shown.map(({ key }) => key));
  if (list.length === 0) return <div ref={around} tabIndex={-1} />;
  const remove = (key: string) => {
    leaves(key);
    queue.cancel(key);
  };
  const bytes = list.reduce((sum, each) => sum + each.bytes, 0);
  const accepted = list.reduce((sum, each) => sum + each.accepted, 0);
  const goes = list.some(({ state }) => state === "uploading" || state === "queued" || state === "away");
  const paused = list.some(({ state }) => state === "paused");
  return (
    <div ref={around} className="up-part" tabIndex={-1}>
      <div className="up-row">
        <p role="status">{summaryOf(list)}</p>
        <span className="up-quiet">{messages.received(fileSize(accepted), fileSize(bytes))}</span>
      </div>
      <progress
        className="up-progress"
        aria-label={messages.progress}
        max={Math.max(1, bytes)}
        value={bytes > 0 ? accepted : Number(!goes)}
      />
      {(goes || paused) && list.length > 1 && (
        <div className="up-bar">
          {goes && (
            <Button size="small" onClick={() => queue.pause()}>
              {messages.pauseAll}
            </Button>
          )}
          {paused && (
            <Button size="small" onClick={() => queue.resume()}>
              {messages.resumeAll}
            </Button>
          )}
        </div>
      )}
      <FileList list={list} />
      <ul className="up-list" aria-label={messages.list}>
        {shown.map((upload) => (
          <li key={upload.key}>
            <UploadRow upload={upload} queue={queue} onRemove={() => remove(upload.key)} />
          </li>
        ))}
      </ul>
      {shown.length < list.length && (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            {messages.more(list.length - shown.length)}
          </Button>
        </div>
      )}
    </div>
  );
}

function summaryOf(list: readonly QueuedUpload[]): string {
  const files = list.reduce((sum, each) => sum + each.files.length, 0);
  const failed = list.filter(({ state }) => state === "failed").length;
  if (failed > 0) return messages.failed(failed);
  if (list.every(({ state }) => state === "done")) return messages.done(files);
  return list.every(({ state }) => state === "done" || state === "paused") ? messages.paused : messages.going(files);
}

/** The files that were chosen, with their sizes. */
function FileList({ list }: { list: readonly QueuedUpload[] }) {
  const [open, setOpen] = useState(false);
  const files = list.flatMap((each) => each.files);
  const title = messages.files(files.length, fileSize(files.reduce((sum, { file }) => sum + file.size, 0)));
  const shown = open ? files.slice(0, longestFileList) : [];
  return (
    <details className="up-more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too. */}
      <ul className="up-files" tabIndex={0} aria-label={title}>
        {shown.map(({ path, file }) => (
          <li key={path}>
            <bdi>{path}</bdi>
            <span className="up-quiet">{fileSize(file.size)}</span>
          </li>
        ))}
        {open && files.length > shown.length && <li>{messages.filesMore(files.length - shown.length)}</li>}
      </ul>
    </details>
  );
}

const nameOf = ({ packed, files }: QueuedUpload): string =>
  packed ? messages.smallFiles(files.length) : (files[0]?.path ?? "");

interface UploadRowProps {
  upload: QueuedUpload;
  queue: Uploads["queue"];
  onRemove: () => void;
}

function UploadRow({ upload, queue, onRemove }: UploadRowProps) {
  const { key, bytes, accepted, state, error } = upload;
  const name = nameOf(upload);
  const goes = state === "uploading" || state === "queued" || state === "away";
  return (
    <article className="up-upload" tabIndex={-1} aria-label={name}>
      <div className="up-row">
        <bdi className="up-name">{name}</bdi>
        <span className="up-quiet">
          {state === "done" ? fileSize(bytes) : messages.received(fileSize(accepted), fileSize(bytes))}
        </span>
      </div>
      {state !== "done" && (
        <progress
          className="up-progress"
          aria-label={messages.progressOf(name)}
          max={Math.max(1, bytes)}
          value={accepted}
        />
      )}
      <div className="up-row">
        {state === "failed" ? (
          <span className="up-failed" role="alert">
            {error instanceof Unreadable ? messages.unreadable : messageOf(error)}
          </span>
        ) : (
          <span className="up-quiet">{messages.stateOf(state)}</span>
        )}
        <span className="up-bar">
          {goes && (
            <Button size="small" aria-label={messages.pauseOf(name)} onClick={() => queue.pause(key)}>
              {messages.pause}
            </Button>
          )}
          {state === "paused" && (
            <Button size="small" aria-label={messages.resumeOf(name)} onClick={() => queue.resume(key)}>
              {messages.resume}
            </Button>
          )}
          {state === "failed" && (
            <Button size="small" aria-label={messages.againOf(name)} onClick={() => queue.resume(key)}>
              {messages.again}
            </Button>
          )}
          <Button size="small" variant="quiet" aria-label={messages.removeOf(name)} onClick={onRemove}>
            {messages.remove}
          </Button>
        </span>
      </div>
    </article>
  );
}
