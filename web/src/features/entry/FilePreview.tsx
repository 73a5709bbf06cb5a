import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useId } from "react";
import { messageOf, Problem } from "@/api/problem";
import type { DatasetEntry } from "@/api/types";
import { fileSize } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { tableQuery, textQuery } from "./datasetQueries";
import { filePreviewMessages as messages } from "./FilePreview.messages";
import styles from "./FilePreview.module.css";
import { TablePreview } from "./TablePreview";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

interface FilePreviewProps {
  /** Of the dataset. */
  id: string;
  entry: DatasetEntry;
  /** The path of the file in a session. */
  inSession: string;
}

/** A preview of a dataset's file. */
export function FilePreview({ id, entry, inSession }: FilePreviewProps) {
  const heading = useId();
  return (
    <section className={styles.file} aria-labelledby={heading}>
      <h3 id={heading} className={styles.name}>
        <bdi>{entry.name}</bdi>
      </h3>
      {entry.preview === "TABLE" ? (
        <TableOf id={id} path={entry.path} />
      ) : entry.preview === "NONE" ? (
        <p className={styles.note}>
          {entry.type === "other" ? messages.notAFile : messages.noPreview} {messages.inSession}{" "}
          <code>{inSession}</code>
          {messages.end}
        </p>
      ) : (
        <TextOf id={id} path={entry.path} />
      )}
    </section>
  );
}

function TableOf({ id, path }: { id: string; path: string }) {
  const { data, error, refetch } = useQuery(tableQuery(id, path));
  if (error) return <Failed error={error} onRetry={() => refetch()} />;
  return data ? <TablePreview table={data} /> : <Waiting />;
}

function TextOf({ id, path }: { id: string; path: string }) {
  const { data, error, refetch } = useQuery(textQuery(id, path));
  if (error) return <Failed error={error} onRetry={() => refetch()} />;
  if (!data) return <Waiting />;
  if (data.text.trim() === "") return <p className={styles.note}>{messages.empty}</p>;
  return (
    <>
      <Scroll label={messages.text(path)}>
        {data.markdown ? (
          <Suspense fallback={<Skeleton height="8em" />}>
            <Markdown text={data.text} />
          </Suspense>
        ) : (
          <pre className={styles.text}>{data.text}</pre>
        )}
      </Scroll>
      {!data.complete && <p className={styles.note}>{messages.beginning(fileSize(data.size))}</p>}
    </>
  );
}

/** A scrollable part of the page, which the keyboard can scroll too. */
function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
    <section className={styles.scroll} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** A refusal by the server is information about the file; other errors are failures. */
function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof Problem && error.status >= 400 && error.status < 500) {
    return <p className={styles.note}>{error.message}</p>;
  }
  return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={onRetry} />;
}

function Waiting() {
  return (
    <SkeletonPlace label={messages.loading} className={styles.waiting}>
      <Skeleton height="13em" />
      <Skeleton height="16em" />
    </SkeletonPlace>
  );
}
