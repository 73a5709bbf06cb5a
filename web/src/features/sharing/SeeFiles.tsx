import { useState } from "react";
import type { SessionView } from "@/api/types";
import runStyles from "@/features/entry/runs/Runs.module.css";
import styles from "@/features/sessions/versions/Versions.module.css";
import { fileSize } from "@/lib/measures";
import { Icon } from "@/ui/Icon";
import { seeMessages as messages } from "./see.messages";

/** The files of a session with their sizes, folded. */
export function SeeFiles({ view: { files, moreFiles } }: { view: SessionView }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={runStyles.log} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.files(files.filter(({ isFolder }) => !isFolder).length)}</summary>
      {open && files.length === 0 && <p className={styles.quiet}>{messages.noFiles}</p>}
      {open && files.length > 0 && (
        <table className={styles.files}>
          <thead>
            <tr>
              <th scope="col">{messages.fileName}</th>
              <th scope="col" className={styles.size}>
                {messages.size}
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ path, isFolder, bytes }) => (
              <tr key={path}>
                <th scope="row">
                  <span className={styles.name}>
                    <Icon name={isFolder ? "folder" : "file"} filled={isFolder} />
                    {isFolder && <span className="visually-hidden">{messages.folder}</span>}
                    <bdi>{path}</bdi>
                  </span>
                </th>
                <td className={styles.size}>{!isFolder && fileSize(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {open && moreFiles && <p className={styles.quiet}>{messages.moreFiles(files.length)}</p>}
    </details>
  );
}
