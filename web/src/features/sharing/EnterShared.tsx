import type { SharedSession } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { LinkButton } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { linkMessages as messages } from "./link.messages";

/** What somebody reads before they enter somebody else's session. */
export function EnterShared({ shared: { id, sessionName, owner, holds, can, isRunning } }: { shared: SharedSession }) {
  const path = `/sessions/${encodeURIComponent(id)}`;
  const facts = [
    [messages.owner, owner],
    [messages.holds, holds],
    [messages.can, messages.canDo[can]],
  ];
  return (
    <Page title={messages.title(sessionName)} subtitle={messages.subtitle} width="narrow">
      <div className={dashboard.parts}>
        <dl className={projectStyles.list} aria-label={messages.facts}>
          {facts.map(([name, value]) => (
            <div key={name} className={projectStyles.fact}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
        <Note kind="info" title={messages.means(owner)}>
          <p>{messages.meansWhat}</p>
          {!isRunning && <p>{messages.notRunning(owner)}</p>}
        </Note>
        <div className={projectStyles.labels}>
          {isRunning && (
            <LinkButton to={`${path}/open`} variant="primary">
              {messages.open}
            </LinkButton>
          )}
          <LinkButton to={`${path}/see`}>{messages.see}</LinkButton>
        </div>
      </div>
    </Page>
  );
}
