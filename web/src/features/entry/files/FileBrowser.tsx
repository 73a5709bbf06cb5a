import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useId, useRef } from "react";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { folderAddress, isMarkdown, readmeAmong, shownName } from "@/lib/repositoryFiles";
import { LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useNear } from "@/ui/useNear";
import { fileBrowserMessages as messages } from "./FileBrowser.messages";
import styles from "./FileBrowser.module.css";
import { FileTable } from "./FileTable";
import { FolderTrouble, OldFiles, WaitingFiles } from "./FolderStates";
import { FolderWay } from "./FolderWay";
import { hostPage } from "./hostPage";
import { againIn, folderQuery } from "./queries";
import { useFolder } from "./useFolder";

const Preview = lazy(async () => ({ default: (await import("./Preview")).Preview }));
const Readme = lazy(async () => ({ default: (await import("./Readme")).Readme }));

/** The distance from the window at which the files are loaded, in pixels. */
const ahead = 400;

interface FileBrowserProps {
  resource: Resource;
}

/** Browses a repository's folders, and shows their READMEs. */
export function FileBrowser({ resource }: FileBrowserProps) {
  const { id, repositoryUrl = "" } = resource;
  const section = useRef<HTMLElement>(null);
  const near = useNear(section, ahead);
  const heading = useId();
  const folder = useFolder();
  const { path } = folder;
  const { data, error, errorUpdateCount, isPlaceholderData, refetch, isFetching } = useQuery({
    ...folderQuery(id, path, useVersion()),
    enabled: near || folder.file !== undefined,
    placeholderData: keepPreviousData,
  });
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef(path);
  useEffect(() => {
    // The clicked link is gone, and the focus with it.
    if (focused.current !== path) list.current?.focus({ preventScroll: true });
    focused.current = path;
  }, [path]);

  const host = hostPage(repositoryUrl, data?.filesUrl, data?.host);
  const address = data?.filesUrl && !isPlaceholderData ? folderAddress(data.filesUrl, path) : host?.address;
  const readme = data && !error && !isPlaceholderData ? readmeAmong(data.entries) : undefined;
  const trouble = { error, again: againIn(error, errorUpdateCount), retrying: isFetching, onRetry: refetch };
  const name = path === "" ? messages.root : shownName(path);
  return (
    <section id="files" ref={section} className={styles.section} aria-labelledby={heading}>
      <div className={styles.headline}>
        <h2 id={heading}>{messages.title}</h2>
        {data && (
          <span className={styles.branch}>
            <span className="visually-hidden">{messages.branch}</span>
            <Icon name="branch" size={16} />
            <bdi>{shownName(data.branch)}</bdi>
          </span>
        )}
        <span className={styles.actions}>
          {host && (
            <LinkButton to={address ?? host.address} newTab size="small">
              {messages.openIn(host.name)}
              <Icon name="external" size={16} />
            </LinkButton>
          )}
        </span>
      </div>
      <FolderWay folder={folder} />
      {data?.stale && <OldFiles asOf={data.asOf} host={host?.name} />}
      <section
        ref={list}
        tabIndex={-1}
        aria-label={messages.label(name)}
        aria-busy={isPlaceholderData}
        className={styles.list}
      >
        {error ? (
          <FolderTrouble {...trouble} {...(path !== "" && { root: folder.root })} />
        ) : data ? (
          <FileTable key={path} listing={data} enter={folder.enter} onPreview={(entry) => folder.open(entry.path)} />
        ) : (
          <WaitingFiles />
        )}
      </section>
      {readme && data && (
        <Suspense>
          <Readme
            key={readme.path}
            resource={resource}
            path={readme.path}
            filesUrl={data.filesUrl}
            markdown={isMarkdown(readme.name)}
          />
        </Suspense>
      )}
      {folder.file !== undefined && (
        <Suspense>
          <Preview
            id={id}
            path={folder.file}
            filesUrl={data?.filesUrl ?? ""}
            host={host?.name ?? ""}
            runnable={resource.runnable === true}
            framed={resource.audience === undefined}
            onClose={folder.close}
          />
        </Suspense>
      )}
    </section>
  );
}
