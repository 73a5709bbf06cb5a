import type { SessionView, SharedSession, Visit } from "@/api/types";
import styles from "@/features/projects/ProjectPage.module.css";
import { peopleIn, visitorName } from "@/features/sessions/guests";
import { moment } from "@/lib/format";
import { Filled } from "@/ui/Filled";
import { seeMessages as messages } from "./see.messages";

/** Whose session it is, what it holds, what the visitor may do, and who is there. */
export function SeeFacts({ shared, present }: { shared: SharedSession; present: SessionView["present"] }) {
  const { owner, holds, can, until } = shared;
  return (
    <dl className={styles.list}>
      <div className={styles.fact}>
        <dt>{messages.owner}</dt>
        <dd>
          <bdi>{owner}</bdi>
        </dd>
      </div>
      <div className={styles.fact}>
        <dt>{messages.holds}</dt>
        <dd>
          <bdi>{holds}</bdi>
        </dd>
      </div>
      <div className={styles.fact}>
        <dt>{messages.can}</dt>
        <dd>{messages.canDo[can]}</dd>
      </div>
      {can !== "owner" && (
        <div className={styles.fact}>
          <dt>{messages.ends}</dt>
          <dd>{until ? <time dateTime={until}>{moment(until)}</time> : messages.endsWithIt}</dd>
        </div>
      )}
      <div className={styles.fact}>
        <dt>{messages.there}</dt>
        <dd>
          {present.length === 0
            ? messages.nobody
            : peopleIn(present).map((visit, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: visits have no ids, and lines no state.
                <p key={at}>
                  <Present visit={visit} />
                </p>
              ))}
        </dd>
      </div>
    </dl>
  );
}

function Present({ visit }: { visit: Visit }) {
  return <Filled text={messages.as[visit.as]} values={{ name: <bdi>{visitorName(visit)}</bdi> }} />;
}
