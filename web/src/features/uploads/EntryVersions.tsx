import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { day } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import { Link } from "@/ui/router";
import { entryVersionsMessages as messages } from "./EntryVersions.messages";
import type { EntryVersionRow } from "./shapes";
import { UploadStyles } from "./UploadStyles";
import { versionsQuery } from "./versionsQuery";

const CompareVersions = lazy(async () => ({ default: (await import("./CompareVersions")).CompareVersions }));
const NewVersion = lazy(async () => ({ default: (await import("./NewVersion")).NewVersion }));
const VersionChanges = lazy(async () => ({ default: (await import("./VersionChanges")).VersionChanges }));
const WithdrawDialog = lazy(async () => ({ default: (await import("./WithdrawDialog")).WithdrawDialog }));

/** Whether the files of a version can be seen and compared. */
const isOpen = ({ withdrawnAt }: EntryVersionRow) => withdrawnAt === undefined;

/** How many versions are shown at first. */
const shownAtFirst = 5;

interface EntryVersionsProps {
  resource: Resource;
  /** Renders where a version is deposited, for authors. */
  deposit: ((version: number) => ReactNode) | undefined;
}

/** The versions of an entry, what changed in them, and a new one for its authors. */
export function EntryVersions({ resource, deposit }: EntryVersionsProps) {
  const { id, type, canDelete, canCurate } = resource;
  const [all, setAll] = useState(false);
  const { data, error, isFetching, refetch } = useQuery(versionsQuery(id));
  const versions = data?.content ?? [];
  const shown = all ? versions : versions.slice(0, shownAtFirst);
  const current = resource.entryVersion?.number ?? data?.latest;
  return (
    <section className="up-part" aria-labelledby="versions">
      <UploadStyles />
      <h2 id="versions">{messages.title}</h2>
      {!data && error && (
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {data && (
        <>
          <ul className="up-list">
            {shown.map((version, at) => (
              <VersionRow
                key={version.versionNumber}
                resource={resource}
                version={version}
                before={isOpen(version) ? versions.slice(at + 1).find(isOpen)?.versionNumber : undefined}
                latest={version.versionNumber === data.latest}
                current={version.versionNumber === current}
                withdrawable={(canDelete || canCurate === true) && version.versionNumber !== data.latest}
                deposit={deposit}
              />
            ))}
          </ul>
          {shown.length < versions.length && (
            <div>
              <Button size="small" onClick={() => setAll(true)}>
                {messages.more(versions.length - shown.length)}
              </Button>
            </div>
          )}
          <Suspense>
            {versions.filter(isOpen).length > 1 && <CompareVersions id={id} versions={versions.filter(isOpen)} />}
            {canDelete && type !== "MODEL" && versions[0]?.kept && <NewVersion resource={resource} />}
          </Suspense>
        </>
      )}
    </section>
  );
}

interface VersionRowProps extends EntryVersionsProps {
  version: EntryVersionRow;
  /** The number of the version before it with which it is compared. */
  before: number | undefined;
  latest: boolean;
  /** The page shows it. */
  current: boolean;
  withdrawable: boolean;
}

function VersionRow({ resource, version, before, latest, current, withdrawable, deposit }: VersionRowProps) {
  const { versionNumber: n, at, by, note, doi, files, bytes, withdrawnAt, withdrawnReason } = version;
  const [changes, setChanges] = useState(false);
  const [withdrawing, setWithdrawing] = useState(false);
  const path = resourcePath(resource);
  const signs = [
    latest && messages.latest,
    current && messages.shown,
    withdrawnAt !== undefined && messages.withdrawn(day(withdrawnAt)),
  ].filter(Boolean);
  return (
    <li className="up-version" {...(current && { "aria-current": true })}>
      <div className="up-row">
        <h3>
          <Link to={latest ? path : `${path}?version=${n}`}>{messages.version(n)}</Link>
        </h3>
        <span className="up-quiet">{signs.join(", ")}</span>
      </div>
      <p className="up-quiet">
        <Filled
          text={messages.about(by, files, fileSize(bytes), doi)}
          values={{
            day: <time dateTime={at}>{day(at)}</time>,
            who: <bdi>{by}</bdi>,
            doi: (
              <a href={`https://doi.org/${encodeURI(doi ?? "")}`} rel="noopener noreferrer">
                {doi}
              </a>
            ),
          }}
        />
      </p>
      {note && (
        <p className="up-note">
          <bdi>{note}</bdi>
        </p>
      )}
      {withdrawnReason && <p className="up-failed">{messages.reason(withdrawnReason)}</p>}
      {isOpen(version) && (before !== undefined || withdrawable || deposit) && (
        <div className="up-bar">
          {before !== undefined && (
            <Button
              size="small"
              aria-expanded={changes}
              aria-label={messages.changedIn(n)}
              onClick={() => setChanges(!changes)}
            >
              {messages.changed}
            </Button>
          )}
          {deposit && <Suspense>{deposit(n)}</Suspense>}
          {withdrawable && (
            <Button
              size="small"
              variant="quiet"
              aria-label={messages.withdrawOf(n)}
              onClick={() => setWithdrawing(true)}
            >
              {messages.withdraw}
            </Button>
          )}
        </div>
      )}
      <Suspense>
        {changes && before !== undefined && <VersionChanges id={resource.id} from={before} to={n} />}
        {withdrawing && <WithdrawDialog id={resource.id} version={n} onClose={() => setWithdrawing(false)} />}
      </Suspense>
    </li>
  );
}
