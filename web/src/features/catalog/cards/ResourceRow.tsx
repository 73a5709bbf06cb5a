import type { Resource } from "@/api/types";
import { StatusBadge } from "@/features/catalog/curation/StatusBadge";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { RunBadge } from "@/features/catalog/RunBadge";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { Card, cardLink } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import { CardFoot } from "./CardFoot";
import { Marked } from "./Marked";
import { resourceCardMessages as messages } from "./ResourceCard.messages";
import styles from "./ResourceRow.module.css";

/** An entry in one line, two on a narrow window. It is a link like its card. */
export function ResourceRow({ resource, from }: { resource: Resource; from?: string | undefined }) {
  const { name, type, privacy, lastRun, matched } = resource;
  return (
    <Card tone={kindOf(type).tone} linked className={styles.row}>
      <span>
        <TypeBadge type={type} />
      </span>
      <h3 className={styles.name}>
        <a className={cardLink} href={resourcePath(resource, from)} target="_blank" rel="noopener">
          <Marked text={name} marks={matched?.find(({ field }) => field === "name")?.marks} />
        </a>
        {privacy === "PRIVATE" && (
          <span title={messages.private}>
            <Icon name="eyeOff" />
            <span className="visually-hidden">{messages.private}</span>
          </span>
        )}
      </h3>
      {lastRun && (
        <span className={styles.ran}>
          <RunBadge run={lastRun} />
        </span>
      )}
      {resource.closed ? (
        <span className={styles.ran}>
          <StatusBadge resource={resource} />
        </span>
      ) : (
        <CardFoot resource={resource} className={styles.foot} />
      )}
    </Card>
  );
}
