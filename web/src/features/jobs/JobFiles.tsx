import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import runStyles from "@/features/entry/runs/Runs.module.css";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { DownloadButton } from "@/features/sessions/versions/DownloadButton";
import styles from "@/features/sessions/versions/Versions.module.css";
import { fileSize } from "@/lib/measures";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Pager } from "@/ui/list/Pager";
import { DownloadPart } from "./DownloadPart";
import { jobPageMessages as messages } from "./JobPage.messages";
import { filesPageSize, jobFilesQuery } from "./queries";

/** The files that a job wrote, each to download, and all at once. */
export function JobFiles({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const list = useRef<HTMLDivElement>(null);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(jobFilesQuery(id, page));
  return (
    <section className={projectStyles.section} aria-labelledby="files">
      <h2 id="files">{messages.files}</h2>
      {!data && error && (
        <ErrorState
          title={messages.filesFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonPlace label={messages.filesLoading}>
          <Skeleton height="8em" />
        </SkeletonPlace>
      )}
      {data && data.totalElements === 0 && <p className={styles.quiet}>{messages.noFiles}</p>}
      {data && data.totalElements > 0 && (
        <div ref={list} className={styles.list} tabIndex={-1} aria-busy={isPlaceholderData}>
          <table className={styles.files}>
            <thead>
              <tr>
                <th scope="col">{messages.fileName}</th>
                <th scope="col" className={styles.size}>
                  {messages.size}
                </th>
                <th scope="col">
                  <span className="visually-hidden">{messages.downloads}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.content.map(({ path, bytes }) => (
                <tr key={path}>
                  <th scope="row">
                    <span className={styles.name}>
                      <Icon name="file" />
                      <bdi>{path}</bdi>
                    </span>
                  </th>
                  <td className={styles.size}>{fileSize(bytes)}</td>
                  <td className={styles.action}>
                    {data.version && (
                      <DownloadButton
                        session={data.session}
                        version={data.version}
                        path={path}
                        label={messages.downloadOf(path)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Pager page={page} pages={Math.ceil(data.totalElements / filesPageSize)} onPage={setPage} list={list} />
        </div>
      )}
      {data && data.totalElements > 1 && (
        <div className={runStyles.bar}>
          <DownloadPart id={id} part="files.zip" name={`job-${id}.zip`} small>
            {messages.downloadAll}
          </DownloadPart>
          <span className={styles.quiet}>{messages.filesCount(data.totalElements)}</span>
        </div>
      )}
    </section>
  );
}
