import { Fragment, useEffect, useRef } from "react";
import type { DatasetEntry, DatasetFolder } from "@/api/types";
import { fileSize } from "@/lib/measures";
import { Icon } from "@/ui/Icon";
import { datasetFilesMessages as messages } from "./DatasetFiles.messages";
import styles from "./DatasetFiles.module.css";

interface DatasetFilesProps {
  folder: DatasetFolder;
  /** Path of the previewed file. */
  shown: string | undefined;
  onOpen: (path: string) => void;
  onChoose: (path: string) => void;
}

/** The content of a dataset's folder. */
export function DatasetFiles({ folder, shown, onOpen, onChoose }: DatasetFilesProps) {
  const { entries, total, more } = folder;
  return (
    <div className={styles.files}>
      {entries.length === 0 ? (
        <p className={styles.note}>{messages.empty}</p>
      ) : (
        <ul className={styles.list} aria-label={messages.label}>
          {entries.map((entry) => (
            <li key={entry.path}>
              <Row
                entry={entry}
                shown={entry.path === shown}
                onUse={() => (entry.type === "dir" ? onOpen : onChoose)(entry.path)}
              />
            </li>
          ))}
        </ul>
      )}
      {(more || total > entries.length) && <p className={styles.note}>{messages.shown(total, entries.length, more)}</p>}
    </div>
  );
}

function Row({ entry, shown, onUse }: { entry: DatasetEntry; shown: boolean; onUse: () => void }) {
  const { name, type, size } = entry;
  return (
    <button type="button" className={styles.row} onClick={onUse} {...(shown && { "aria-current": true })}>
      <span className={styles.sign}>
        <Icon name={type === "dir" ? "folder" : "file"} />
      </span>
      {/* Isolates the text direction, which a name may reverse. */}
      <bdi className={styles.name}>{name}</bdi>
      <span className={styles.size} {...(type === "file" && { title: messages.bytes(size) })}>
        {type === "file" ? (
          fileSize(size)
        ) : type === "dir" ? (
          <span className="visually-hidden">{messages.folder}</span>
        ) : (
          messages.noFile
        )}
      </span>
    </button>
  );
}

interface WayProps {
  path: string;
  onOpen: (path: string) => void;
}

/** The path of the folder as links. It gets the focus after each navigation, because the clicked link is gone. */
export function DatasetWay({ path, onOpen }: WayProps) {
  const here = useRef<HTMLSpanElement>(null);
  const focused = useRef(path);
  useEffect(() => {
    if (focused.current !== path) here.current?.focus();
    focused.current = path;
  }, [path]);
  const names = path === "" ? [] : path.split("/");
  const steps = [messages.root, ...names].map((name, index) => ({ name, path: names.slice(0, index).join("/") }));
  return (
    <nav className={styles.way} aria-label={messages.way}>
      {steps.map((step, index) => (
        <Fragment key={step.path}>
          {index > 0 && <span aria-hidden="true">/</span>}
          {index < steps.length - 1 ? (
            <button type="button" className={styles.step} onClick={() => onOpen(step.path)}>
              <bdi>{step.name}</bdi>
            </button>
          ) : (
            <span ref={here} tabIndex={-1} className={styles.here} aria-current="location">
              <bdi>{step.name}</bdi>
            </span>
          )}
        </Fragment>
      ))}
    </nav>
  );
}
