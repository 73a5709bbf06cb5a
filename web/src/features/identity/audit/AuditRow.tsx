import type { ReactNode } from "react";
import type { AuditRecord } from "@/api/types";
import { moment } from "@/lib/format";
import { Ago } from "@/ui/Ago";
import { Icon } from "@/ui/Icon";
import { auditRowMessages as words } from "./AuditRow.messages";
import styles from "./AuditRow.module.css";
import { actionWords } from "./actionWords";

interface AuditRowProps {
  record: AuditRecord;
  /** The viewer's own address, on the page about them; operators read everybody's. */
  own?: string;
}

/** A record: who did what and when, and on demand what changed. */
export function AuditRow({ record, own }: AuditRowProps) {
  const { actor, at, address, requestId, changes, id, objectId, objectName, sealed } = record;
  const who = own !== undefined && actor === own ? words.you : (named[actor] ?? actor);
  const what = actionWords(record);
  const object = objectName || (objectId === actor || own !== undefined ? "" : several(objectId));
  return (
    <li>
      <details className={styles.row}>
        <summary className={styles.line}>
          <span className={styles.what}>
            <strong>{who}</strong> {what} {object !== "" && <strong>{object}</strong>}
          </span>
          <Ago className={styles.note} moment={at} />
          <Icon name="chevronDown" size={16} />
        </summary>
        <dl className={styles.facts}>
          {Object.entries(changes).map(([field, { old, new: now, secret }]) => (
            <Fact key={field} name={field}>
              {secret ? words.secret : shown(now)}
              {!secret && !empty(old) && <span className={styles.note}> {words.was(shown(old))}</span>}
            </Fact>
          ))}
          {objectId !== "" && <Fact name={words.object}>{objectId.replaceAll(",", ", ")}</Fact>}
          {address !== "" && <Fact name={words.from}>{address}</Fact>}
          {requestId !== "" && own === undefined && <Fact name={words.request}>{requestId}</Fact>}
          {own === undefined && <Fact name={words.record}>{id}</Fact>}
          <Fact name={moment(at)}>{sealed ? words.sealed : words.unsealed}</Fact>
        </dl>
      </details>
    </li>
  );
}

const named: Record<string, string> = { operators: words.operators, command: words.command };

function several(ids: string): string {
  const count = ids.split(",").length;
  return count > 1 ? words.several(count) : ids;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const empty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** A value of a field as text. */
function shown(value: unknown): string {
  if (empty(value)) return words.nothing;
  if (typeof value === "boolean") return value ? words.yes : words.no;
  return Array.isArray(value) ? value.join(", ") : String(value);
}
