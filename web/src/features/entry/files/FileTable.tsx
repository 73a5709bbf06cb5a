import { useState } from "react";
import type { Folder, FolderEntry } from "@/api/types";
import { number } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { fileAddress, isShown, shownName } from "@/lib/repositoryFiles";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { SearchBox } from "@/ui/list/SearchBox";
import { Link } from "@/ui/router";
import { fileTableMessages as messages } from "./FileTable.messages";
import styles from "./FileTable.module.css";
import type { FolderLink } from "./useFolder";

/** The number of rows shown at first, and added by each click on "more". */
const step = 200;

interface FileTableProps {
  listing: Folder;
  enter: (folder: string) => FolderLink;
  onPreview: (entry: FolderEntry) => void;
}

/**
 * The items of a folder. Folders open here; files open on the code host, or in a preview here if the host has no pages.
 * Submodules are only named: their files are in another repository.
 */
export function FileTable({ listing, enter, onPreview }: FileTableProps) {
  const { entries, filesUrl, truncated } = listing;
  const [rows, setRows] = useState(step);
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = wanted === "" ? entries : entries.filter(({ name }) => name.toLowerCase().includes(wanted));
  const shown = found.slice(0, rows);
  return (
    <div className={styles.frame}>
      {entries.length > step && (
        <SearchBox
          label={messages.find}
          placeholder={messages.findAmong(entries.length)}
          text={text}
          onSearch={setText}
        />
      )}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{messages.name}</th>
            <th scope="col" className={styles.size}>
              {messages.bytes}
            </th>
            <th scope="col">
              <span className="visually-hidden">{messages.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((entry) => (
            <Row key={entry.path} entry={entry} filesUrl={filesUrl} enter={enter} onPreview={onPreview} />
          ))}
        </tbody>
      </table>
      {entries.length === 0 && <p className={styles.note}>{messages.empty}</p>}
      <p role="status" className={entries.length > step ? styles.note : "visually-hidden"}>
        {found.length === 0 && entries.length > 0
          ? messages.noMatch
          : shown.length < entries.length
            ? messages.some(number(shown.length), found.length)
            : messages.all(entries.length)}
      </p>
      {found.length > rows && (
        <Button size="small" className={styles.more} onClick={() => setRows(rows + step)}>
          {messages.more(number(Math.min(step, found.length - rows)))}
        </Button>
      )}
      {truncated && <p className={styles.note}>{messages.truncated}</p>}
    </div>
  );
}

interface RowProps extends Omit<FileTableProps, "listing"> {
  entry: FolderEntry;
  filesUrl: string;
}

function Row({ entry, filesUrl, enter, onPreview }: RowProps) {
  const { type, name, path, size } = entry;
  const isFolder = type === "dir";
  const isFile = type === "file";
  const isSized = isFile && size >= 0; // some code hosts don't say
  const text = <bdi>{shownName(name)}</bdi>;
  const into = enter(path);
  return (
    <tr>
      <th scope="row">
        <span className={styles.name}>
          <Icon name={isFile ? "file" : "folder"} size={18} filled={isFolder} />
          {isFolder && <span className="visually-hidden">{messages.folder}</span>}
          {isFolder ? (
            <Link to={into.to} state={into.state}>
              {text}
            </Link>
          ) : !isFile ? (
            <span>
              {text} {messages.submodule}
            </span>
          ) : filesUrl !== "" ? (
            <a href={fileAddress(filesUrl, path)} target="_blank" rel="noopener noreferrer">
              {text}
            </a>
          ) : isShown(entry) ? (
            <button type="button" onClick={() => onPreview(entry)}>
              {text}
            </button>
          ) : (
            <span>{text}</span>
          )}
        </span>
      </th>
      <td className={styles.size} title={isSized ? fileSize(size) : undefined}>
        {isSized && number(size)}
      </td>
      <td className={styles.action}>
        {isShown(entry) && (
          <Button
            variant="quiet"
            size="small"
            aria-label={messages.previewOf(shownName(name))}
            onClick={() => onPreview(entry)}
          >
            <Icon name="eye" size={16} />
            <span className={styles.word}>{messages.preview}</span>
          </Button>
        )}
      </td>
    </tr>
  );
}
