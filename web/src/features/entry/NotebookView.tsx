import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { capitalized } from "@/lib/capitalized";
import { moment } from "@/lib/format";
import { keptVersion } from "@/lib/keptFiles";
import { lastSegment, webAddress } from "@/lib/links";
import { fileSize } from "@/lib/measures";
import { LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { SkeletonPlace } from "@/ui/Loading";
import { NotebookFrame, NotebookPlace } from "@/ui/NotebookFrame";
import { ProgressLine } from "@/ui/ProgressLine";
import { TextLink } from "@/ui/TextLink";
import { useNear } from "@/ui/useNear";
import { useSettled } from "@/ui/useSettled";
import { NotebookAtHost } from "./NotebookAtHost";
import { notebookViewMessages as messages } from "./NotebookView.messages";
import styles from "./NotebookView.module.css";
import { notebookQuery } from "./queries";

/** The distance from the window at which the notebook is loaded, in pixels. */
const ahead = 600;

/**
 * The notebook of an entry: its facts, and the frame that shows it once the page is scrolled near to it, or has nothing else to
 * do: a page that is printed has no time to load it.
 */
export function NotebookView({ notebook }: { notebook: Resource }) {
  const { id, name, notebookSource = "" } = notebook;
  const section = useRef<HTMLElement>(null);
  const near = useNear(section, ahead);
  const settled = useSettled();
  const { data, error, isFetching, refetch } = useQuery({
    ...notebookQuery(id, useVersion()),
    enabled: near || settled,
  });
  const source = webAddress(notebookSource);
  const kept = keptVersion(notebook);

  return (
    <section ref={section} className={styles.section} aria-labelledby="notebook">
      <h2 id="notebook">{messages.title}</h2>
      <div className={styles.bar}>
        <span className={styles.source}>
          <Icon name="book" />
          {source === undefined ? (
            notebookSource.replace(/^(bundled:|kept:.*\/)/, "")
          ) : (
            <TextLink href={source}>{lastSegment(source)}</TextLink>
          )}
        </span>
        {data?.language && <span>{capitalized(data.language)}</span>}
        {data && !data.page && <span>{fileSize(data.size)}</span>}
        {source === undefined && (
          <span>{kept ? messages.kept(notebook.entryVersion?.number ?? kept) : messages.ships}</span>
        )}
        {data?.stale && data.fetchedAt && <span>{messages.asOf(moment(data.fetchedAt))}</span>}
      </div>
      {data?.page ? (
        <NotebookAtHost page={data.page} title={messages.frame(name)} />
      ) : data ? (
        <NotebookFrame
          key={data.notebookFrameUrl}
          address={data.notebookFrameUrl}
          fullPage={data.fullPageUrl}
          title={messages.frame(name)}
        />
      ) : error ? (
        <>
          {isFetching && (
            <SkeletonPlace label={messages.again}>
              <ProgressLine />
            </SkeletonPlace>
          )}
          <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => refetch()}>
            {source && (
              <LinkButton to={source} newTab>
                {messages.source}
                <Icon name="external" />
              </LinkButton>
            )}
          </ErrorState>
        </>
      ) : (
        <NotebookPlace />
      )}
    </section>
  );
}
