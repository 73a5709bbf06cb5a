import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import { useAccount } from "@/features/identity/useAccount";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import styles from "./DashboardPage.module.css";
import { notEnabled } from "./notEnabled";
import { Sessions } from "./Sessions";

/** Kinds of sessions that are announced: their buttons are there, and off. */
const announced = ["VSCode", "Jupyter"];

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
      title="Sessions"
      actions={announced.map((kind) => (
        <Button
          key={kind}
          size="small"
          unavailable={`${kind} sessions are in development. Later you will be able to create new ${kind} sessions here.`}
        >
          <Icon name="plus" /> {kind}
        </Button>
      ))}
    >
      {refused && (
        <p className={styles.unavailable} role="status">
          Sessions cannot be started now. {refused.reason}
        </p>
      )}
      {waits !== undefined && (
        <p className={styles.waits} role="status">
          {waits}
        </p>
      )}
      <Sessions limit={sessions.limit} />
      <section className={styles.projects} aria-labelledby="projects">
        <h2 id="projects">Projects</h2>
        {projects}
      </section>
    </Page>
  );
}
