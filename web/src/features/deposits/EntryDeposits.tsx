import { lazy, Suspense, useRef, useState } from "react";
import { messageOf, Problem } from "@/api/problem";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { DepositRow } from "./DepositRow";
import { DepositStyles } from "./DepositStyles";
import { archivesWithout, labelOf } from "./deposit";
import { depositsMessages as messages } from "./deposits.messages";
import { useDeposits, useFreshDois } from "./useDeposits";

const DepositDialog = lazy(async () => ({ default: (await import("./DepositDialog")).DepositDialog }));

/** The deposits of an entry at archives, and a new one of its latest version, for its authors. */
export function EntryDeposits({ resource }: { resource: Resource }) {
  const { id, entryVersion: version } = resource;
  const { archives, deposits } = useDeposits(id);
  const [choosing, setChoosing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useFreshDois(deposits.data);
  if (!archives.data || !deposits.data) {
    const error = archives.error ?? deposits.error;
    // Whom the server doesn't count among the authors sees nothing of it.
    if (!error || (error instanceof Problem && error.status < 500 && error.status > 0)) return null;
    return (
      <section className="dep-part" aria-labelledby="deposits">
        <DepositStyles />
        <h2 id="deposits">{messages.title}</h2>
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          retrying={archives.isFetching || deposits.isFetching}
          onRetry={() => {
            void archives.refetch();
            void deposits.refetch();
          }}
        />
      </section>
    );
  }
  const places = archives.data;
  if (places.length === 0 && deposits.data.length === 0) return null;
  const only = places.length === 1 ? places[0]?.label : undefined;
  const free = archivesWithout(places, deposits.data, version?.latest);
  const at = free.length === 1 ? free[0]?.label : undefined;
  return (
    <section className="dep-part" aria-labelledby="deposits">
      <DepositStyles />
      <h2 id="deposits" ref={heading} tabIndex={-1}>
        {messages.title}
      </h2>
      {places.length > 0 && <p className="dep-quiet">{messages.explanation(only)}</p>}
      {deposits.data.length > 0 && (
        <ul className="dep-list" aria-label={messages.list}>
          {deposits.data.map((deposit) => (
            <DepositRow
              key={deposit.id}
              resource={resource}
              deposit={deposit}
              archive={labelOf(places, deposit.at)}
              lost={deposits.error !== null}
              onGone={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
      {free.length > 0 && (
        <div className="dep-bar">
          <Button onClick={() => setChoosing(true)}>
            {version && version.latest > 1 ? messages.depositVersionAt(version.latest, at) : messages.depositAt(at)}
          </Button>
        </div>
      )}
      {choosing && (
        <Suspense>
          <DepositDialog
            resource={resource}
            version={version?.latest}
            archives={free}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </section>
  );
}
