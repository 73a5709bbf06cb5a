import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";

const SyncDialog = lazy(async () => ({ default: (await import("./SyncDialog")).SyncDialog }));

interface SyncRepositoryProps {
  resource: Resource;
  /** The address of its page. */
  page: string;
}

/** The way to bring the entry of a repository up to its descriptor; for its authors. */
export function SyncRepository({ resource, page }: SyncRepositoryProps) {
  const [open, setOpen] = useState(false);
  if (!resource.canSync) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="sync" />
        Sync
      </Button>
      {open && (
        <Suspense>
          <SyncDialog resource={resource} page={page} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
