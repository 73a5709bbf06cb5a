import type { Session, Visit } from "@/api/types";
import { visitorName } from "@/features/sessions/guests";
import { moment } from "@/lib/format";
import { time } from "@/lib/measures";
import { Badge } from "@/ui/Badge";
import rows from "@/ui/ListRow.module.css";
import { SharePart } from "./SharePart";
import { shareMessages as messages } from "./share.messages";

/** Who is in one of the user's sessions, and who was. */
export function Visits({ session: { present = [], visits = [] } }: { session: Session }) {
  const all = [...present, ...visits];
  return (
    <SharePart title={messages.visits}>
      {all.length === 0 ? (
        <p>{messages.noVisits}</p>
      ) : (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" aria-label={messages.visits} className={rows.what}>
          {all.map((visit, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: visits have no ids, and rows no state.
            <Row key={at} visit={visit} />
          ))}
        </ul>
      )}
    </SharePart>
  );
}

function Row({ visit }: { visit: Visit }) {
  const { as, since, until } = visit;
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <bdi>{visitorName(visit)}</bdi>
        </strong>
        <div className={rows.line}>
          {!until && <Badge tone="green">{messages.here}</Badge>}
          <span className={rows.note}>
            <time dateTime={since}>
              {until ? messages.was[as](moment(since), endOf(since, until)) : messages.is[as](moment(since))}
            </time>
          </span>
        </div>
      </div>
    </li>
  );
}

/** The end of a visit; its day only if that is another one. */
const endOf = (since: string, until: string): string =>
  new Date(since).toDateString() === new Date(until).toDateString() ? time(until) : moment(until);
