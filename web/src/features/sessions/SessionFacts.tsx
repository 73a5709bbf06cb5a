import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import type { Session } from "@/api/types";
import { moment } from "@/lib/format";
import { needsText } from "@/lib/resources";
import { Ago } from "@/ui/Ago";
import { Link } from "@/ui/router";
import { entryPath } from "./entryPath";
import { usageQuery } from "./queries";
import { sessionCardMessages as messages } from "./SessionCard.messages";
import styles from "./SessionFacts.module.css";
import { sizeOf } from "./sizes";
import { sizesMessages } from "./sizes.messages";
import { countsTowardsLimit } from "./statuses";
import { usageText } from "./usage";

interface SessionFactsProps {
  session: Session;
  /** Milliseconds since 1970. */
  now: number;
}

/** What a session runs, where if that can be chosen, and since when. */
export function SessionFacts({ session, now }: SessionFactsProps) {
  const { kinds } = useConfig().sessions;
  const { project, resource, createdAt, lastActivityAt, status, engine, profile, limits, needs, lacks } = session;
  return (
    <dl className={styles.facts}>
      {resource ? (
        <>
          <dt>{messages.entry[resource.type]}</dt>
          <dd>
            <Link to={entryPath(resource)}>
              <bdi>{resource.name}</bdi>
            </Link>
          </dd>
        </>
      ) : (
        <>
          <dt>{messages.project}</dt>
          <dd>
            <Link to={`/projects/${project.id}`}>
              <bdi>{project.name}</bdi>
            </Link>
          </dd>
          <dt>{messages.repository}</dt>
          <dd>{project.repositoryResource.name}</dd>
          <dt>{messages.datasets}</dt>
          <dd>{project.datasetResources.map(datasetName).join(", ") || messages.noDatasets}</dd>
        </>
      )}
      {kinds.length > 1 && (
        <>
          <dt>{messages.runsOn}</dt>
          <dd>{kinds.find(({ name }) => name === engine)?.label ?? engine}</dd>
        </>
      )}
      {profile && (
        <>
          <dt>{messages.size}</dt>
          <dd>
            {sizesMessages.chosen(profile.label, sizeOf(limits))}
            {lacks && sizesMessages.less(needsText(needs))}
          </dd>
        </>
      )}
      <dt>{countsTowardsLimit(session) ? messages.since : messages.started}</dt>
      <dd>
        <time dateTime={createdAt}>{moment(createdAt)}</time>
      </dd>
      {status === "RUNNING" && lastActivityAt && (
        <>
          <dt>{messages.lastUsed}</dt>
          <dd>
            <Ago moment={lastActivityAt} now={now} />
          </dd>
        </>
      )}
      {status === "RUNNING" && <UsageNow session={session} />}
    </dl>
  );
}

/** What a session that runs uses now, where that is known. */
function UsageNow({ session: { id, limits } }: { session: Session }) {
  const { data: usage } = useQuery(usageQuery(id));
  if (!usage) return null;
  return (
    <>
      <dt>{messages.uses}</dt>
      <dd>{usageText(usage, limits)}</dd>
    </>
  );
}

function datasetName({ name, skipped }: Session["project"]["datasetResources"][number]): string {
  return skipped ? messages.leftOut(name) : name;
}
