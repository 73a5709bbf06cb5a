import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { keptVersion } from "@/lib/keptFiles";
import { Alert } from "@/ui/Alert";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { publishEntryMessages as messages } from "./PublishEntry.messages";

const SyncDialog = lazy(async () => ({ default: (await import("./SyncDialog")).SyncDialog }));

/** What authors of a private entry are offered to make it public; nothing if they do that elsewhere. */
export function PublishEntry({ resource }: { resource: Resource }) {
  if (resource.publishable) return <SyncEntry resource={resource} />;
  return resource.canEdit && keptVersion(resource) !== undefined && <MakePublic resource={resource} />;
}

/** Offers to publish an entry whose repository became public: a sync makes the entry public, too. */
function SyncEntry({ resource }: { resource: Resource }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Alert title={messages.title}>
        <p>{messages.text}</p>
        <div>
          <Button size="small" onClick={() => setOpen(true)}>
            {messages.publish}
          </Button>
        </div>
      </Alert>
      {open && (
        <Suspense>
          <SyncDialog resource={resource} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Makes an entry public whose files this server keeps. */
function MakePublic({ resource: { id, name, updatedAt } }: { resource: Resource }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      answer(
        api.PATCH("/api/v1/rf/resources/{id}", { params: { path: { id } }, body: { privacy: "PUBLIC", updatedAt } }),
      ),
    onSuccess: () => {
      toast.success(messages.isPublic, name);
      // The button goes away with the notice.
      document.querySelector("h1")?.focus();
      return client.invalidateQueries();
    },
    onError: (error) => toast.error(messages.notPublic, messageOf(error)),
  });
  return (
    <Alert title={messages.private}>
      <p>{messages.privateText}</p>
      <div>
        <Button size="small" busy={isPending} onClick={() => mutate()}>
          {messages.makePublic}
        </Button>
      </div>
    </Alert>
  );
}
