import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useConfig } from "@/api/config";
import { useAccount } from "@/features/identity/useAccount";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import type { RunTarget } from "@/ui/run";
import { AskOperators } from "./AskOperators";
import { ownRunButtonMessages as messages } from "./OwnRunButton.messages";
import { PlainRunButton } from "./PlainRunButton";
import { sessionsQuery } from "./queries";
import styles from "./RunButton.module.css";
import { StopOne } from "./StopOne";
import { sizesQuery } from "./sizes";
import { startBlock } from "./startBlock";

const NewSessionDialog = lazy(async () => ({ default: (await import("./NewSessionDialog")).NewSessionDialog }));

interface OwnRunButtonProps {
  target: RunTarget;
  /** Why it can't run, unless somebody chooses a size. */
  note: string | undefined;
}

/** The button of somebody who is signed in: it knows what the server would refuse, and offers name, engine and size. */
export function OwnRunButton({ target, note }: OwnRunButtonProps) {
  const { accounts, sessions } = useConfig();
  const { data: account } = useAccount();
  // Polling is for the pages that show sessions.
  const { data: own } = useQuery({ ...sessionsQuery, refetchInterval: false });
  const known = { account, contact: accounts.contact, kinds: sessions.kinds, sessions: own, limit: sessions.limit };
  const block = startBlock(known);
  const { data: sizes } = useQuery({ ...sizesQuery(target), enabled: note !== undefined });
  const optional = !block && (note === undefined || sizes?.some(({ profiles }) => profiles.length > 0));
  const [asking, setAsking] = useState(false);
  return (
    <>
      <PlainRunButton
        target={target}
        reason={block?.reason ?? note}
        beside={
          optional && (
            <Button aria-label={messages.withOptions} title={messages.withOptions} onClick={() => setAsking(true)}>
              <Icon name="chevronDown" />
            </Button>
          )
        }
      />
      {!block && target.failed && <p className={styles.why}>{messages.lastFailed(target.failed)}</p>}
      {block?.ask && <AskOperators ask={block.ask} />}
      {block && block.stop.length > 0 && <StopOne sessions={block.stop} />}
      {asking && (
        <Suspense>
          <NewSessionDialog project={target} run={target} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
