import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { messageOf } from "@/api/problem";
import { day } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { earlierUploadsMessages as messages } from "./EarlierUploads.messages";
import { deleteUpload, storedUploadsQuery } from "./queries";
import type { StoredUpload } from "./shapes";
import { keptUploads, type Uploads } from "./useUploads";

const shownAtMost = 20;

/** How much room the caller has for uploads, as far as that is known. */
export function UploadQuota() {
  const { data } = useQuery(storedUploadsQuery);
  if (!data) return null;
  const { bytes, used, file } = data.quota;
  return <p className="up-quiet">{messages.quota(fileSize(used), fileSize(bytes), fileSize(file))}</p>;
}

/** The caller's uploads that an earlier visit began and no entry uses. */
export function EarlierUploads({ uploads: { list } }: { uploads: Uploads }) {
  const client = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const { data } = useQuery(storedUploadsQuery);
  const discard = useMutation({
    mutationFn: async (some: readonly StoredUpload[]) => {
      for (const { id } of some) {
        await deleteUpload(id);
        keptUploads().forgetId(id);
      }
    },
    onSuccess: () => heading.current?.focus(),
    onError: (error) => toast.error(messages.notDiscarded, messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: storedUploadsQuery.queryKey }),
  });
  const ours = new Set(list.map(({ id }) => id));
  // What this visit begins is on its way here before its id is known.
  const begins = list.some(({ id, state }) => state === "uploading" && id === undefined);
  const earlier = (data?.content ?? []).filter(({ id }) => !ours.has(id));
  if (earlier.length === 0 || begins) return null;
  const shown = earlier.slice(0, shownAtMost);
  return (
    <section className="up-part" aria-labelledby="earlier">
      <h2 id="earlier" ref={heading} tabIndex={-1}>
        {messages.title}
      </h2>
      <p className="up-quiet">{messages.how}</p>
      <ul className="up-list">
        {shown.map((upload) => {
          const name = upload.packed ? messages.packed : (upload.path ?? upload.filename);
          return (
            <li key={upload.id}>
              <div className="up-row">
                <bdi className="up-name">{name}</bdi>
                <span className="up-quiet">
                  {messages.about(fileSize(upload.received), fileSize(upload.bytes), day(upload.expiresAt))}
                </span>
                <Button
                  size="small"
                  busy={discard.isPending}
                  aria-label={messages.discardOf(name)}
                  onClick={() => discard.mutate([upload])}
                >
                  {messages.discard}
                </Button>
              </div>
            </li>
          );
        })}
        {earlier.length > shown.length && <li>{messages.more(earlier.length - shown.length)}</li>}
      </ul>
      {earlier.length > 1 && (
        <div>
          <Button size="small" busy={discard.isPending} onClick={() => discard.mutate(earlier)}>
            {messages.discardAll(earlier.length)}
          </Button>
        </div>
      )}
    </section>
  );
}
