import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import { useVersion, type Version } from "@/api/version";
import { CopyButton } from "@/ui/CopyButton";
import { Tooltip } from "@/ui/Tooltip";
import { at } from "./datasetQueries";
import { fileDigestMessages as messages } from "./FileDigest.messages";
import styles from "./FilePreview.module.css";

/** The digest of a dataset's file. It is asked for again, ever more rarely, until it is computed. */
export function digestQuery(id: string, path: string, version: Version) {
  return queryOptions({
    queryKey: ["datasets", id, "digest", path, version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/dataset/digest", at(id, path, version, signal))),
    retry: false,
    refetchInterval: ({ state }) =>
      state.data && !state.data.sha256 && Math.min(1000 * 1.5 ** state.dataUpdateCount, 30_000),
  });
}

/** The beginning of a file's digest, with a button that copies it. */
export function FileDigest({ id, path }: { id: string; path: string }) {
  const { data, error } = useQuery(digestQuery(id, path, useVersion()));
  // The button that asked for it is gone.
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => place.current?.focus(), []);
  const digest = data?.sha256;
  return (
    <span className={styles.digest}>
      <Tooltip text={messages.explanation}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the explanation. */}
        <span ref={place} tabIndex={0}>
          {digest ? (
            <>
              {messages.name} <code>{messages.beginning(digest)}</code>
            </>
          ) : error ? (
            messageOf(error)
          ) : (
            messages.waiting
          )}
        </span>
      </Tooltip>
      {digest && (
        <CopyButton size="small" label={messages.copy} text={digest}>
          {null}
        </CopyButton>
      )}
    </span>
  );
}
