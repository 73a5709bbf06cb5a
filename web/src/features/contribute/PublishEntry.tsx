import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { Alert } from "@/ui/Alert";
import { Button } from "@/ui/Button";
import { publishEntryMessages as messages } from "./PublishEntry.messages";

const SyncDialog = lazy(async () => ({ default: (await import("./SyncDialog")).SyncDialog }));

/** Offers to publish an entry whose repository became public: a sync makes the entry public, too. */
export function PublishEntry({ resource }: { resource: Resource }) {
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
