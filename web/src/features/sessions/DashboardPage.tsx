import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import type { Interface, Session } from "@/api/types";
import { useAccount } from "@/features/identity/useAccount";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { dashboardMessages as messages } from "./DashboardPage.messages";
import styles from "./DashboardPage.module.css";
import { JobsLink } from "./JobsLink";
import { notEnabled } from "./notEnabled";
import { sessionsQuery } from "./queries";
import { Sessions } from "./Sessions";

interface DashboardPageProps {
  /** What others share with the user, and ask for; nothing if there is none. */
  shared: ReactNode;
  /** The list of the user's projects, from which sessions are started. */
  projects: ReactNode;
  /** Asks for one of these and starts a session of it in an interface; undefined while they aren't known. */
  onNew: ((inside: Interface) => void) | undefined;
  onShare: (session: Session) => void;
}

/** /sessions: the user's sessions and projects. */
export function DashboardPage({ shared, projects, onNew, onShare }: DashboardPageProps) {
  const { accounts, sessions } = useConfig();
  const { state } = useAuth();
  const list = useQuery({ ...sessionsQuery, enabled: state === "authenticated" });
  const refused = sessions.kinds.every(({ available }) => !available) ? sessions.kinds[0] : undefined;
  const editable = sessions.kinds.some(({ available, interfaces }) => available && interfaces.includes("vscode"));
  const { data: account } = useAccount();
  const waits = notEnabled(account, accounts.contact);
  // The lower part waits for the upper one, so that nothing jumps down when the sessions arrive.
  const settled = list.data !== undefined || list.errorUpdateCount > 0;
  return (
    <Page
      actions={
        <>
          {messages.kinds.map(([inside, kind]) => (
            <Button
              key={inside}
              size="small"
              unavailable={editable ? undefined : messages.inDevelopment(kind)}
              busy={editable && !onNew}
              onClick={() => onNew?.(inside)}
            >
              <Icon name="plus" /> {kind}
            </Button>
          ))}
          {state === "authenticated" && <JobsLink />}
          {account?.mayHost && (
            <LinkButton size="small" to="/workshops">
              {messages.workshops}
            </LinkButton>
          )}
        </>
      }
    >
      <div className={styles.parts}>
        {refused && (
          <Note kind="error" role="status">
            {messages.cannotStart(refused.reason)}
          </Note>
        )}
        <div>
          <Sessions list={list} limit={sessions.limit} onShare={onShare} />
        </div>
        {settled && shared}
        {/* Where sessions are started from. */}
        {waits !== undefined && (
          <Note kind="info" role="status">
            {waits}
          </Note>
        )}
        <div hidden={!settled}>{projects}</div>
      </div>
    </Page>
  );
}
