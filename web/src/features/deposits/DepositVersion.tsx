import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { archivesWithout, depositsOf, labelOf } from "./deposit";
import { depositsMessages as messages } from "./deposits.messages";
import { placeOf, useDeposits } from "./useDeposits";

const DepositDialog = lazy(async () => ({ default: (await import("./DepositDialog")).DepositDialog }));

interface DepositVersionProps {
  resource: Resource;
  version: number;
}

/** In the bar of a version of an entry: where it is deposited, and where it can be. */
export function DepositVersion({ resource, version }: DepositVersionProps) {
  const { archives, deposits } = useDeposits(resource.id);
  const [choosing, setChoosing] = useState(false);
  if (!archives.data || !deposits.data) return null;
  const free = archivesWithout(archives.data, deposits.data, version);
  const at = free.length === 1 ? free[0]?.label : undefined;
  const there = depositsOf(deposits.data, version);
  if (there.length + free.length === 0) return null;
  return (
    <>
      {there.map((one) => (
        <a key={one.id} href={`#${placeOf(one.id)}`}>
          {messages.places[one.state](labelOf(archives.data, one.at))}
        </a>
      ))}
      {free.length > 0 && (
        <Button size="small" aria-label={messages.depositVersionAt(version, at)} onClick={() => setChoosing(true)}>
          {messages.depositAt(at)}
        </Button>
      )}
      {choosing && (
        <Suspense>
          <DepositDialog resource={resource} version={version} archives={free} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  );
}
