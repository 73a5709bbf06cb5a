import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { hasCode } from "@/api/problem";
import { Digests } from "./digests";
import { KeptUploads } from "./keptUploads";
import { deleteUpload, storedUploadsQuery, uploadsPath } from "./queries";
import { type QueuedUpload, UploadQueue } from "./queue";
import type { UsedUploads } from "./shapes";

/** The uploads of a page. */
export interface Uploads {
  queue: UploadQueue;
  list: readonly QueuedUpload[];
  /** The server has all files. */
  complete: boolean;
  /** What a call that uses them sends. */
  used: () => Promise<UsedUploads>;
  /** Uploads again what the server found to be damaged; false if the problem is another. */
  mend: (error: unknown) => boolean;
}

/** The addresses of uploads that the browser keeps. */
export const keptUploads = () => new KeptUploads(storage());

function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined; // the browser forbids it
  }
}

/** Uploads for an account, and for an entry or a new one. They stop when the page is left, and the browser asks before that. */
export function useUploads(account: string, target: string): Uploads {
  const client = useQueryClient();
  const [digests] = useState(() => new Digests());
  const [queue] = useState(
    () =>
      new UploadQueue({
        ...{ account, target, kept: keptUploads(), remove: deleteUpload },
        digestOf: (content) => digests.of(content),
        endpoint: new URL(uploadsPath, location.href).href,
      }),
  );
  useEffect(() => {
    queue.open();
    return () => {
      queue.close();
      digests.close();
    };
  }, [queue, digests]);
  const list = useSyncExternalStore(queue.subscribe, queue.get);

  const going = list.some(({ state }) => state === "uploading" || state === "queued" || state === "away");
  useEffect(() => {
    if (!going) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [going]);

  // How much room is left depends on what was begun, finished and removed.
  const begun = list.filter(({ id }) => id !== undefined).length;
  const done = list.filter(({ state }) => state === "done").length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked again when these change.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: storedUploadsQuery.queryKey });
  }, [begun, done, client]);

  const used = useCallback(async () => {
    const digestsById = await queue.digests();
    const upload = queue.get().flatMap(({ id }) => (id === undefined ? [] : [id]));
    return { upload, digests: digestsById };
  }, [queue]);
  const mend = useCallback(
    (error: unknown) => {
      if (!hasCode(error, "digest_mismatch")) return false;
      const ids = queue.get().flatMap(({ id }) => (id === undefined ? [] : [id]));
      queue.startOver(ids.filter((id) => error.fields.some(({ location: place }) => place.includes(id))));
      return true;
    },
    [queue],
  );
  const complete = list.length > 0 && list.every(({ state }) => state === "done");
  return useMemo(() => ({ queue, list, complete, used, mend }), [queue, list, complete, used, mend]);
}
