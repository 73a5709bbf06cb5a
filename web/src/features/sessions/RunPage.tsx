import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import { useAuth } from "@/features/identity/useAuth";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { Link } from "@/ui/router";
import type { RunTarget } from "@/ui/run";
import { forecastQuery, forecastText, tookText } from "./forecast";
import { NotInstalled } from "./NotInstalled";
import { newSessionMessages } from "./newSession.messages";
import { RunButton } from "./RunButton";
import { runPageMessages as messages } from "./RunPage.messages";
import styles from "./RunPage.module.css";

/** An entry that is a part of what would run; deleted and hidden ones have no page. */
interface Part {
  name: string;
  page?: string | undefined;
}

/** What would run, as its entry or project describes it. */
export interface Described {
  target: RunTarget;
  /** Such as "Notebook". */
  kind: string;
  /** Its picture and what it is about. */
  intro?: ReactNode;
  page?: string | undefined;
  people: string[];
  /** Which file opens if none is asked for. */
  opens: string;
  /** The clone address or web address of its code. */
  code?: string | undefined;
  data: Part[];
  environment: string;
  /** What the catalog's last run of it came to. */
  lastRun?: string | undefined;
  /** Why it can't run. */
  note?: string | undefined;
  /** It can, in a size that somebody chooses. */
  choosable?: boolean;
}

interface RunPageProps {
  described: Described;
  /** Parameters of the address that mean nothing. */
  unknown: string[];
}

/** What somebody reads before they run what a link leads to. It has no effect before the button is pressed. */
export function RunPage({ described, unknown }: RunPageProps) {
  const { target, kind, page, people, note, choosable = false } = described;
  return (
    <Page title={messages.title(target.name)} subtitle={note === undefined && messages.nothingYet} width="narrow">
      <div className={styles.page}>
        {unknown.length > 0 && (
          <Note kind="info">
            <p>{messages.ignored(unknown)}</p>
          </Note>
        )}
        {note === undefined || choosable ? (
          <RunButton target={target} note={note} choosable={choosable} namesSignIn />
        ) : (
          <Note kind="info">
            <p>{note}</p>
          </Note>
        )}
        {described.intro}
        <dl className={styles.list} aria-label={messages.facts}>
          <Fact name={messages.what}>
            {kind} <PartLink part={{ name: target.name, page }} />
          </Fact>
          <Fact name={messages.whose}>{people.join(", ")}</Fact>
          {note === undefined && <Facts described={described} />}
        </dl>
      </div>
    </Page>
  );
}

/** How it would run. */
function Facts({ described: { target, opens, code, data, environment, lastRun } }: { described: Described }) {
  const { file, ref, name, interface: inside, version } = target.options ?? {};
  const { usual, memoryBytes } = useForecast();
  const took = tookText(target.took, memoryBytes);
  return (
    <>
      <Fact name={messages.opens}>{file === undefined ? opens : <bdi className={styles.exact}>{file}</bdi>}</Fact>
      {ref !== undefined && (
        <Fact name={messages.ref}>
          <bdi className={styles.exact}>{ref}</bdi>
        </Fact>
      )}
      {version !== undefined && <Fact name={messages.version}>{version}</Fact>}
      {inside === "vscode" && <Fact name={newSessionMessages.opensIn}>{newSessionMessages.interfaces.vscode}</Fact>}
      {name !== undefined && (
        <Fact name={messages.sessionName}>
          <bdi>{name}</bdi>
        </Fact>
      )}
      {code !== undefined && (
        <Fact name={messages.code}>
          <span className={styles.exact}>{code}</span>
        </Fact>
      )}
      <Fact name={messages.data}>
        {data.length === 0
          ? messages.noData
          : data.map((part, index) => (
              <span key={part.page ?? part.name}>
                {index > 0 && ", "}
                <PartLink part={part} />
              </span>
            ))}
      </Fact>
      <Fact name={messages.environment}>
        {environment}
        {target.of === "entry" && <NotInstalled entry={target.id} />}
      </Fact>
      {lastRun !== undefined && (
        <Fact name={messages.lastRun}>
          {lastRun}
          {took !== undefined && <p>{took}</p>}
        </Fact>
      )}
      {usual !== undefined && <Fact name={messages.takes}>{usual}</Fact>}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function PartLink({ part: { name, page } }: { part: Part }) {
  return page === undefined ? (
    <bdi>{name}</bdi>
  ) : (
    <Link to={page}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** How long a start usually takes, and the memory of a session; the server says it to those who are signed in. */
function useForecast(): { usual: string | undefined; memoryBytes: number | undefined } {
  const { kinds } = useConfig().sessions;
  const engine = kinds.find(({ available }) => available)?.name;
  const { state } = useAuth();
  const { data } = useQuery({
    ...forecastQuery(engine ?? ""),
    enabled: state === "authenticated" && engine !== undefined,
  });
  return { usual: data && forecastText(data), memoryBytes: data?.memoryBytes };
}
