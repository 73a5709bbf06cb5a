import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "@/api/problem";
import type { Overview } from "@/api/types";
import { number } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { Ago } from "@/ui/Ago";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { OperatorsOnly } from "./OperatorsOnly";
import { overviewMessages as words } from "./OverviewPage.messages";
import styles from "./OverviewPage.module.css";
import { overviewQuery } from "./operatorQueries";

/** /operator: what the server does. */
export function OverviewPage() {
  return (
    <OperatorsOnly subtitle={words.subtitle} loading={<Loading />}>
      <Content />
    </OperatorsOnly>
  );
}

function Content() {
  const { data, error, refetch } = useQuery(overviewQuery);
  if (data) {
    return <Known overview={data} />;
  }
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  return <Loading />;
}

function Known({ overview }: { overview: Overview }) {
  const { people, engines, machine, disks, version, startedAt } = overview;
  return (
    <div className={styles.sections}>
      <Section title={words.people}>
        <Figures
          figures={[
            [words.accounts, people.accounts, "/operator/accounts"],
            [words.waiting, people.waiting, "/operator/accounts?waiting=true"],
            [words.today, people.today],
            [words.week, people.week],
          ]}
        />
      </Section>
      <Section title={words.sessions}>
        {engines.map((engine) => (
          <div key={engine.name} className={styles.engine}>
            <h3>
              {engine.label || engine.name}{" "}
              {engine.label === "" && <span className={styles.quiet}>{words.removed}</span>}
            </h3>
            <Figures
              figures={[
                [words.queued, engine.queued],
                [words.starting, engine.starting],
                [words.running, engine.running, "/operator/sessions"],
                [words.finished, engine.finished],
                [words.terminated, engine.terminated],
                [words.error, engine.failed, "/operator/sessions?show=ERROR"],
              ]}
            />
          </div>
        ))}
      </Section>
      <Section title={words.queue}>
        <Queue queue={overview.queue} />
      </Section>
      <Section title={words.failures}>
        <Failures failures={overview.failures} />
      </Section>
      <Section title={words.runs}>
        <Runs runs={overview.runs} />
      </Section>
      <Section title={words.machine}>
        <ul className={styles.plain}>
          <Measure name={words.loadName} used={machine.load} of={machine.processors}>
            {words.load(number(machine.load), machine.processors)}
          </Measure>
          <Measure name={words.memoryName} used={machine.memoryUsedBytes} of={machine.memoryBytes}>
            {words.free(fileSize(machine.memoryBytes - machine.memoryUsedBytes), fileSize(machine.memoryBytes))}
          </Measure>
          {disks.map(({ name, freeBytes, sizeBytes }) => (
            <Measure
              key={name}
              name={`${words.disks}: ${name === "data" ? words.data : words.work}`}
              used={sizeBytes - freeBytes}
              of={sizeBytes}
            >
              {words.free(fileSize(freeBytes), fileSize(sizeBytes))}
            </Measure>
          ))}
        </ul>
      </Section>
      <p className={styles.quiet}>
        <Filled text={words.server} values={{ version: <code>{version}</code>, started: <Ago moment={startedAt} /> }} />
      </p>
    </div>
  );
}

interface MeasureProps {
  name: string;
  used: number;
  of: number;
  children: ReactNode;
}

/** How much of something is used: a bar, and the same in words. */
function Measure({ name, used, of, children }: MeasureProps) {
  return (
    <li className={styles.disk}>
      <span>{name}</span>
      <meter max={of} high={0.9 * of} optimum={0} value={used} className={styles.meter} aria-hidden="true" />
      <span className={styles.quiet}>{children}</span>
    </li>
  );
}

function Runs({ runs }: { runs: Overview["runs"] }) {
  return (
    <>
      <h3>{words.runsNow}</h3>
      <Figures
        figures={[
          [words.runsWaiting, runs.waiting],
          [words.runsRunning, runs.running],
        ]}
      />
      <h3>{words.runsLately}</h3>
      <Figures
        figures={[
          [words.clean, runs.clean],
          [words.nothing, runs.nothing],
          [words.differs, runs.differs],
          [words.runsFailed, runs.failed],
          [words.needs, runs.needs],
        ]}
      />
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      <div className={styles.content}>{children}</div>
    </section>
  );
}

/** Numbers with what they count; some lead to what is counted. */
function Figures({ figures }: { figures: (readonly [label: string, value: number, to?: string])[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([label, value, to]) => (
        <div key={label} className={styles.figure}>
          <dt>{label}</dt>
          <dd>{to === undefined ? number(value) : <Link to={to}>{number(value)}</Link>}</dd>
        </div>
      ))}
    </dl>
  );
}

function Queue({ queue: { waiting, since, capacity } }: { queue: Overview["queue"] }) {
  return (
    <>
      <p>
        {waiting === 0 || since === undefined ? (
          words.nobodyWaits
        ) : (
          <Filled text={words.waits(waiting)} values={{ since: <Ago moment={since} /> }} />
        )}
      </p>
      {capacity !== undefined && <p className={styles.quiet}>{words.capacity(capacity)}</p>}
    </>
  );
}

function Failures({ failures }: { failures: Overview["failures"] }) {
  if (failures.length === 0) {
    return <p>{words.noFailures}</p>;
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" className={styles.plain}>
        {failures.map(({ code, count, engines, example, lastAt }) => (
          <li key={code} className={styles.failure}>
            <strong>
              <span aria-hidden="true">{words.times(count)}</span>
              <span className="visually-hidden">{words.timesSpoken(count)}</span>
            </strong>
            <div>
              <code>{code || words.unknownCause}</code>
              <p>{example}</p>
              <p className={styles.quiet}>
                <Filled text={words.where(engines.join(", "))} values={{ last: <Ago moment={lastAt} /> }} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      <p>
        <Link to="/operator/sessions?show=ERROR">{words.seeFailed}</Link>
      </p>
    </>
  );
}

function Loading() {
  return (
    <SkeletonPlace label={words.loading} className={styles.sections}>
      {[words.people, words.sessions, words.queue, words.failures].map((title) => (
        <section key={title} className={styles.section}>
          <h2>{title}</h2>
          <div className={styles.figures}>
            {[1, 2, 3, 4].map((figure) => (
              <Skeleton key={figure} height="48px" />
            ))}
          </div>
        </section>
      ))}
    </SkeletonPlace>
  );
}
