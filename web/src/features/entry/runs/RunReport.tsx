import { lazy, Suspense, useState } from "react";
import type { Resource, Run } from "@/api/types";
import { comparedOf } from "@/features/catalog/runWords";
import { moment } from "@/lib/format";
import { duration, fileSize } from "@/lib/measures";
import { Button, FileButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { LogText } from "@/ui/LogText";
import { Note } from "@/ui/Note";
import { ProgressState } from "@/ui/ProgressState";
import { TextLink } from "@/ui/TextLink";
import { Fact } from "../Fact";
import { commitPage, hostPage } from "../files/hostPage";
import factStyles from "../ResourceFacts.module.css";
import { CellTimes } from "./CellTimes";
import { artifactAddress, isLive } from "./queries";
import { RunLog } from "./RunLog";
import { RunOutputs } from "./RunOutputs";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";
import { ranWords, shortWordsOf, timeOf, tookWords } from "./runLooks";

const CiteRunDialog = lazy(async () => ({ default: (await import("../CiteDialog")).CiteRunDialog }));

/** One run: how far it is, or what came out and how. */
export function RunReport({ run, resource }: { run: Run; resource: Resource }) {
  const { state, verdict, reason, cells } = run;
  const [citing, setCiting] = useState(false);
  const done = state === "DONE";
  const executed = done && cells.total > 0;
  const failed = verdict === "FAILED" || verdict === "NEEDS";
  if (isLive(run)) return <Progress run={run} />;
  return (
    <>
      {failed && reason && (
        <Note kind={verdict === "FAILED" ? "error" : "info"}>
          <p>{reason}</p>
        </Note>
      )}
      {executed && <p>{ranWords(cells)}</p>}
      {done && (cells.skipped ?? 0) > 0 && <p className={styles.quiet}>{messages.skipped(cells.skipped ?? 0)}</p>}
      {state === "STOPPED" && <p>{reason || messages.stopped}</p>}
      {executed && <CellTimes run={run} />}
      <Facts run={run} resource={resource} />
      {done && (
        <div className={styles.bar}>
          {executed && (
            <FileButton to={artifactAddress(run, "notebook")}>
              <Icon name="download" />
              {messages.notebook}
            </FileButton>
          )}
          <FileButton to={artifactAddress(run, "crate.zip")} title={messages.crateHelp}>
            <Icon name="download" />
            {messages.crate}
          </FileButton>
          <Button onClick={() => setCiting(true)}>
            <Icon name="quote" />
            {messages.cite}
          </Button>
        </div>
      )}
      {citing && (
        <Suspense>
          <CiteRunDialog run={run} onClose={() => setCiting(false)} />
        </Suspense>
      )}
      {done && <RunLog run={run} />}
      {done && comparedOf(cells) > 0 && <RunOutputs run={run} />}
    </>
  );
}

function Progress({ run: { state, cells } }: { run: Run }) {
  const counted = state === "RUNNING" && cells.total > 0;
  return (
    <ProgressState
      title={messages.states[state]}
      message={
        counted
          ? messages.cell(Math.min(cells.ran + 1, cells.total), cells.total)
          : state === "QUEUED"
            ? messages.waiting
            : messages.starting
      }
      label={messages.progress}
      percent={counted ? (100 * cells.ran) / cells.total : undefined}
    />
  );
}

function Facts({ run, resource }: { run: Run; resource: Resource }) {
  const { file, commit, startedBy, seconds, peakMemoryBytes, environment } = run;
  return (
    <dl className={styles.facts} aria-label={messages.facts}>
      <Fact name={messages.result}>
        <strong>{shortWordsOf(run)}</strong>
      </Fact>
      <Fact name={messages.when}>
        <time dateTime={timeOf(run)}>{moment(timeOf(run))}</time>
      </Fact>
      {file !== "" && (
        <Fact name={messages.file}>
          <bdi className={factStyles.exact}>{file}</bdi>
        </Fact>
      )}
      {seconds !== undefined && <Fact name={messages.took}>{tookWords(run, duration(seconds))}</Fact>}
      {commit && (
        <Fact name={messages.commit}>
          <Commit id={commit} repositoryUrl={resource.repositoryUrl} />
        </Fact>
      )}
      <Fact name={messages.startedBy}>{messages.starters[startedBy]}</Fact>
      {peakMemoryBytes !== undefined && (
        <Fact name={messages.memory}>{messages.memoryPeak(fileSize(peakMemoryBytes))}</Fact>
      )}
      {(environment.python ?? environment.version) && (
        <Fact name={environment.language ?? messages.python}>
          {environment.python ?? environment.version}
          {environment.packages && environment.packages.length > 0 && (
            <details className={styles.log}>
              <summary>{messages.packages(environment.packages.length)}</summary>
              <LogText label={messages.packageList}>{environment.packages.join("\n")}</LogText>
            </details>
          )}
        </Fact>
      )}
      {run.changes && (
        <Fact name={messages.changes}>
          {messages.changed(run.changes.packages.length, run.engine, run.changes.engine)}
          {run.changes.packages.length > 0 && (
            <details className={styles.log}>
              <summary>{messages.changedPackages}</summary>
              <LogText label={messages.changedPackages}>
                {run.changes.packages.map(messages.changedPackage).join("\n")}
              </LogText>
            </details>
          )}
        </Fact>
      )}
    </dl>
  );
}

/** The beginning of a commit's id, as a link to its page where its code host has one. */
function Commit({ id, repositoryUrl }: { id: string; repositoryUrl: string | undefined }) {
  const page = repositoryUrl === undefined ? undefined : hostPage(repositoryUrl, undefined);
  const short = <span className={factStyles.exact}>{id.slice(0, 12)}</span>;
  return page ? <TextLink href={commitPage(page.address, id)}>{short}</TextLink> : short;
}
