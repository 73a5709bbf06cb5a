import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import type { SharedSession } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { follow } from "@/features/sessions/openInNewTab";
import { useNow } from "@/features/sessions/useNow";
import styles from "@/features/sessions/versions/RecentlyDeleted.module.css";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import rows from "@/ui/ListRow.module.css";
import { Link } from "@/ui/router";
import { sharedWithYouMessages as messages } from "./SharedWithYou.messages";
import { useCopy } from "./useCopy";
import { endText } from "./words";

/** The sessions that others share with the user. */
export function SharedWithYou({ sessions }: { sessions: readonly SharedSession[] }) {
  const heading = useId();
  const now = useNow();
  return (
    <section className={projectStyles.section} aria-labelledby={heading}>
      <h2 id={heading}>{messages.title}</h2>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" aria-labelledby={heading} className={rows.what}>
        {sessions.map((shared) => (
          <Row key={shared.id} shared={shared} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Row({ shared, now }: { shared: SharedSession; now: number }) {
  const { id, sessionName, owner, can, until, isRunning } = shared;
  const queries = useQueryClient();
  const copy = useCopy(shared);
  const path = `/sessions/${encodeURIComponent(id)}`;
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <strong>
          <Link to={`${path}/see`}>
            <bdi>{sessionName}</bdi>
          </Link>
        </strong>
        <div className={rows.line}>
          <Badge tone={isRunning ? "blue" : "grey"}>{isRunning ? messages.running : messages.notRunning}</Badge>
          <span className={rows.note}>
            <Filled
              text={messages.of}
              values={{ owner: <bdi>{owner}</bdi>, ends: <time dateTime={until}>{endText(until, now)}</time> }}
            />
          </span>
        </div>
        {can === "edit" && isRunning && <span className={rows.note}>{messages.openMeans(owner)}</span>}
      </div>
      <div className={styles.actions}>
        {copy && (
          <Button size="small" busy={copy.copying} aria-label={messages.copyOne(sessionName)} onClick={copy.copy}>
            {messages.copy}
          </Button>
        )}
        {can === "edit" && isRunning && (
          <LinkButton size="small" to={`${path}/open`} newTab onClick={() => void follow(id, "open", queries)}>
            {messages.open} <span className="visually-hidden">{sessionName}</span>
          </LinkButton>
        )}
        <LinkButton size="small" to={`${path}/see`}>
          {messages.see} <span className="visually-hidden">{sessionName}</span>
        </LinkButton>
      </div>
    </li>
  );
}
