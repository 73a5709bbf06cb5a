import { useMutation } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Filled } from "@/ui/Filled";
import { ProgressLine } from "@/ui/ProgressLine";
import { TextLink } from "@/ui/TextLink";
import { helpFor, isDiscardable, isOf, isUnderWay, percentOf } from "./deposit";
import { depositsMessages as messages } from "./deposits.messages";
import { retryDeposit } from "./queries";
import { HelpLink, Refusal } from "./Refusal";
import type { Deposit, DepositProblem } from "./shapes";
import { placeOf, useDepositList } from "./useDeposits";

const DiscardDialog = lazy(async () => ({ default: (await import("./DiscardDialog")).DiscardDialog }));
const PublishDialog = lazy(async () => ({ default: (await import("./PublishDialog")).PublishDialog }));

interface DepositRowProps {
  resource: Resource;
  deposit: Deposit;
  /** What people call the archive. */
  archive: string;
  /** The server can't be asked how far it is. */
  lost: boolean;
  /** It was discarded. */
  onGone: () => void;
}

/** A deposit: how far it is, or what has to be done about it. */
export function DepositRow({ resource, deposit, archive, lost, onGone }: DepositRowProps) {
  const { id, state, version, url, by } = deposit;
  const email = useAccount().data?.email;
  const list = useDepositList(resource.id);
  const [dialog, setDialog] = useState<"publish" | "discard">();
  const retry = useMutation({
    mutationFn: () => retryDeposit(resource.id, id),
    onSuccess: list.put,
    onError: list.refresh,
  });
  const mine = isOf(deposit, email);
  const discardable = isDiscardable(deposit, email, resource.authors);
  const of = (action: string) => messages.of(action, version, archive);
  return (
    <li className="dep-one" id={placeOf(id)} tabIndex={-1}>
      <h3>{messages.whichAt(version, archive)}</h3>
      <p className={state === "FAILED" ? "dep-failed" : undefined} role="status">
        {messages.states[state](archive)}
      </p>
      {isUnderWay(deposit) && <Progress deposit={deposit} archive={archive} lost={lost} />}
      {state === "FAILED" && <Failure resource={resource} deposit={deposit} archive={archive} />}
      {state === "PUBLISHED" && <Doi deposit={deposit} />}
      {!mine && state !== "PUBLISHED" && (
        <p className="dep-quiet">
          <Filled text={messages.others(by)} values={{ who: <bdi>{by}</bdi> }} />
        </p>
      )}
      <Actions>
        {state === "DRAFT" && url && mine && <TextLink href={url}>{messages.draft(archive)}</TextLink>}
        {state === "PUBLISHED" && url && <TextLink href={url}>{messages.record(archive)}</TextLink>}
        {state === "DRAFT" && mine && (
          <Button size="small" variant="primary" aria-label={of(messages.publish)} onClick={() => setDialog("publish")}>
            {messages.publish}
          </Button>
        )}
        {state === "FAILED" && mine && (
          <Button size="small" aria-label={of(messages.retry)} busy={retry.isPending} onClick={() => retry.mutate()}>
            {messages.retry}
          </Button>
        )}
        {discardable && (
          <Button size="small" aria-label={of(messages.discard)} onClick={() => setDialog("discard")}>
            {messages.discard}
          </Button>
        )}
      </Actions>
      {retry.error && state === "FAILED" && (
        <Refusal error={retry.error} step="retry" archive={archive} resource={resource} />
      )}
      <Suspense>
        {dialog === "publish" && (
          <PublishDialog resource={resource} deposit={deposit} archive={archive} onClose={() => setDialog(undefined)} />
        )}
        {dialog === "discard" && (
          <DiscardDialog
            resource={resource}
            deposit={deposit}
            archive={archive}
            mine={mine}
            onGone={onGone}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </li>
  );
}

/** A row of buttons and links; nothing without any. */
function Actions({ children }: { children: ReactNode[] }) {
  return children.some(Boolean) && <div className="dep-bar">{children}</div>;
}

interface ProgressProps {
  deposit: Deposit;
  archive: string;
  lost: boolean;
}

function Progress({ deposit, archive, lost }: ProgressProps) {
  const { progress, problem } = deposit;
  const { files, bytes, totalBytes } = progress;
  const percent = percentOf(deposit);
  const sent = totalBytes > 0 ? messages.sent(files, fileSize(bytes), fileSize(totalBytes)) : messages.gathering;
  return (
    <>
      {percent === undefined ? (
        <ProgressLine />
      ) : (
        <progress className="dep-progress" aria-label={messages.bar(archive)} max={100} value={percent} />
      )}
      <p className="dep-quiet">{lost ? messages.lost : sent}</p>
      {problem && <p role="status">{messages.waits(problem.detail)}</p>}
    </>
  );
}

interface FailureProps {
  resource: Resource;
  deposit: Deposit;
  archive: string;
}

/** Why a deposit has failed, and what helps. */
function Failure({ resource, deposit, archive }: FailureProps) {
  const problem = deposit.problem as DepositProblem | undefined;
  if (!problem) return null;
  const help = helpFor(problem.code);
  return (
    <>
      <p>{problem.detail}</p>
      {help === "edit" && <p>{messages.helps.edit(archive)}</p>}
      <HelpLink help={help} resource={resource} />
    </>
  );
}

function Doi({ deposit: { doi } }: { deposit: Deposit }) {
  if (!doi) return null;
  const address = `https://doi.org/${encodeURI(doi)}`;
  return (
    <p className="dep-bar">
      <span>
        <Filled text={messages.doi} values={{ doi: <TextLink href={address}>{doi}</TextLink> }} />
      </span>
      <CopyButton size="small" label={messages.copyDoi} text={address} />
    </p>
  );
}
