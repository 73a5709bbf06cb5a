import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useConfig } from "@/api/config";
import { useAccount } from "@/features/identity/useAccount";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import type { RunTarget } from "@/ui/run";
import { AskOperators } from "./AskOperators";
import { ownRunMessages as messages } from "./OwnRun.messages";
import { openInNewTab } from "./openInNewTab";
import { wishOf } from "./openRequest";
import { sessionsQuery } from "./queries";
import styles from "./RunButton.module.css";
import { StopOne } from "./StopOne";
import { sizesQuery } from "./sizes";
import { type StartBlock, startBlock } from "./startBlock";

const NewSessionDialog = lazy(async () => ({ default: (await import("./NewSessionDialog")).NewSessionDialog }));

/** The sessions of somebody who is signed in. Polling is for the pages that show them. */
function useOwnSessions() {
  return useQuery({ ...sessionsQuery, refetchInterval: false }).data;
}

/** Why the server would refuse a start of somebody who is signed in, as far as that is known. */
function useStartBlock(): StartBlock | undefined {
  const { accounts, sessions } = useConfig();
  const { data: account } = useAccount();
  const own = useOwnSessions();
  return startBlock({
    account,
    contact: accounts.contact,
    kinds: sessions.kinds,
    sessions: own,
    limit: sessions.limit,
  });
}

interface OwnRunProps {
  target: RunTarget;
  /** Why it can't run, unless somebody chooses a size. */
  note: string | undefined;
}

/** The button beside Run that offers name, engine and size to somebody who is signed in. */
export function RunOptions({ target, note }: OwnRunProps) {
  const block = useStartBlock();
  const { kinds } = useConfig().sessions;
  const queries = useQueryClient();
  const { data: sizes } = useQuery({ ...sizesQuery(target), enabled: note !== undefined });
  const [asking, setAsking] = useState(false);
  if (block || (note !== undefined && !sizes?.some(({ profiles }) => profiles.length > 0))) return null;
  return (
    <>
      {kinds.some(({ available, interfaces }) => available && interfaces.includes("vscode")) && (
        <Button
          onClick={() =>
            void openInNewTab(
              { do: "run", wish: { ...wishOf(target), interface: "vscode" }, title: target.name },
              queries,
            )
          }
        >
          {messages.openInEditor.replaceAll(" ", "\u00a0") /* on one line */}
        </Button>
      )}
      <Button aria-label={messages.withOptions} title={messages.withOptions} onClick={() => setAsking(true)}>
        <Icon name="chevronDown" />
      </Button>
      {asking && (
        <Suspense>
          <NewSessionDialog projects={[target]} run={target} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}

interface RunNotesProps {
  target: RunTarget;
  /** Gets what the server would refuse a start for; undefined if nothing is known against it. */
  onBlock: (reason: string | undefined) => void;
}

/** What somebody who is signed in reads below Run: why it may fail, and what to do where it can't start. */
export function RunNotes({ target, onBlock }: RunNotesProps) {
  const block = useStartBlock();
  useEffect(() => onBlock(block?.reason), [block?.reason, onBlock]);
  const own = useOwnSessions();
  const running = own?.find(({ status, project, resource }) => {
    const started = target.of === "entry" ? resource : project;
    return status === "RUNNING" && started?.id === target.id;
  });
  return (
    <>
      {running && (
        <p className={styles.why}>
          <a href={`/sessions/${encodeURIComponent(running.id)}/open`} target="_blank" rel="noopener">
            {messages.openRunning}
          </a>
        </p>
      )}
      {!block && target.failed && <p className={styles.why}>{messages.lastFailed(target.failed)}</p>}
      {block?.ask && <AskOperators ask={block.ask} />}
      {block && block.stop.length > 0 && <StopOne sessions={block.stop} />}
    </>
  );
}
