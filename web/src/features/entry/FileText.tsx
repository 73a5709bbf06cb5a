import { queryOptions, useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { answer, api } from "@/api/client";
import { useVersion, type Version } from "@/api/version";
import { fileSize } from "@/lib/measures";
import { Skeleton } from "@/ui/Loading";
import { at } from "./datasetQueries";
import { Failed, Waiting } from "./FileStates";
import { fileTextMessages as messages } from "./FileText.messages";
import styles from "./FileText.module.css";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

function textQuery(id: string, path: string, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "text", path, version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/text", at(id, path, version, signal))),
  });
}

/** The beginning of a dataset's text file. */
export function FileText({ id, path }: { id: string; path: string }) {
  const { data, error, refetch } = useQuery(textQuery(id, path, useVersion()));
  if (error) return <Failed error={error} onRetry={() => refetch()} />;
  if (!data) return <Waiting />;
  if (data.text.trim() === "") return <p className={styles.note}>{messages.empty}</p>;
  return (
    <>
      <Scroll label={messages.text(path)}>
        {data.markdown ? (
          <Suspense fallback={<Skeleton height="8em" />}>
            <Markdown text={data.text} html />
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
