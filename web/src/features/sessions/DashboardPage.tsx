import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import { useAccount } from "@/features/identity/useAccount";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import styles from "./DashboardPage.module.css";
import { dashboardMessages as messages } from "./messages";
import { notEnabled } from "./notEnabled";
import { Sessions } from "./Sessions";

interface DashboardPageProps {
  /** The list of the user's projects, from which sessions are started. */
  projects: ReactNode;
}

/** /sessions: the user's sessions and projects. */
export function DashboardPage({ projects }: DashboardPageProps) {
  const { accounts, sessions } = useConfig();
  const refused = sessions.kinds.every(({ available }) => !available) ? sessions.kinds[0] : undefined;
  const waits = notEnabled(useAccount().data, accounts.contact);
  return (
    <Page
      title={messages.title}
      actions={messages.announced.map((kind) => (
        <Button key={kind} size="small" unavailable={messages.inDevelopment(kind)}>
          <Icon name="plus" /> {kind}
        </Button>
      ))}
    >
      {refused && (
        <p className={styles.unavailable} role="status">
          {messages.cannotStart(refused.reason)}
        </p>
      )}
      {waits !== undefined && (
        <p className={styles.waits} role="status">
          {waits}
        </p>
      )}
      <h2 className="visually-hidden">{messages.sessions}</h2>
      <Sessions limit={sessions.limit} />
      <section className={styles.projects} aria-labelledby="projects">
        <h2 id="projects">{messages.projects}</h2>
        {projects}
      </section>
    </Page>
  );
}
