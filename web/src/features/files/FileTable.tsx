import { useState } from "react";
import { Link } from "react-router";
import type { Folder, FolderEntry } from "@/api/types";
import { count, fileSize } from "@/lib/format";
import { fileAddress, isShown, shownName } from "@/lib/repositoryFiles";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { SearchBox } from "@/ui/SearchBox";
import styles from "./FileTable.module.css";
import type { FolderLink } from "./useFolder";

/** So many rows are shown at first, and with each wish for more. */
const step = 200;
const numbers = new Intl.NumberFormat("en");

interface FileTableProps {
  listing: Folder;
  enter: (folder: string) => FolderLink;
  onPreview: (entry: FolderEntry) => void;
}

/** The entries of a folder: folders lead into them, files to their page at the code host. */
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
          label="Find in this folder"
          placeholder={`Find among ${count(entries.length, "file", "files")}`}
          text={text}
          onSearch={setText}
        />
      )}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className={styles.size}>
              Bytes
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((entry) => (
            <Row key={entry.path} entry={entry} filesUrl={filesUrl} enter={enter} onPreview={onPreview} />
          ))}
        </tbody>
      </table>
      {entries.length === 0 && <p className={styles.note}>This folder is empty.</p>}
      <p role="status" className={entries.length > step ? styles.note : "visually-hidden"}>
        {found.length === 0 && entries.length > 0
          ? "No file of this folder has such a name."
          : shown.length < entries.length
            ? `${numbers.format(shown.length)} of ${count(found.length, "entry", "entries")}`
            : count(entries.length, "entry", "entries")}
      </p>
      {found.length > rows && (
        <Button size="small" className={styles.more} onClick={() => setRows(rows + step)}>
          Show {numbers.format(Math.min(step, found.length - rows))} more
        </Button>
      )}
      {truncated && <p className={styles.note}>The code host does not tell all files of this folder.</p>}
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
  const text = <bdi>{shownName(name)}</bdi>;
  const into = enter(path);
  return (
    <tr>
      <th scope="row">
        <span className={styles.name}>
          <Icon name={isFolder ? "folder" : "file"} size={18} filled={isFolder} />
          {isFolder && <span className="visually-hidden">Folder </span>}
          {isFolder ? (
            <Link to={into.to} state={into.state}>
              {text}
            </Link>
          ) : filesUrl === "" ? (
            <span>{text}</span>
          ) : (
            <a href={fileAddress(filesUrl, path)} target="_blank" rel="noopener noreferrer">
              {text}
            </a>
          )}
        </span>
      </th>
      <td className={styles.size} title={isFolder ? undefined : fileSize(size)}>
        {!isFolder && numbers.format(size)}
      </td>
      <td className={styles.action}>
        {isShown(entry) && (
          <Button
            variant="quiet"
            size="small"
            aria-label={`Preview ${shownName(name)}`}
            onClick={() => onPreview(entry)}
          >
            <Icon name="eye" size={16} />
            <span className={styles.word}>Preview</span>
          </Button>
        )}
      </td>
    </tr>
  );
}
