import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { syncRepositoryMessages as messages } from "./SyncRepository.messages";

const SyncDialog = lazy(async () => ({ default: (await import("./SyncDialog")).SyncDialog }));

/** Syncs the entry of a repository with its descriptor, for those who may. */
export function SyncRepository({ resource }: { resource: Resource }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="sync" />
        {messages.open}
      </Button>
      {open && (
        <Suspense>
          <SyncDialog resource={resource} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
