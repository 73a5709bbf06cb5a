import { lazy, Suspense } from "react";
import type { Resource, SearchMatch } from "@/api/types";
import { Cover } from "@/features/catalog/Cover";
import { DataBadge } from "@/features/catalog/DataBadge";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { classes } from "@/lib/classes";
import { cardTags } from "@/lib/limits.json";
import { inOrder } from "@/lib/tags";
import { Ago } from "@/ui/Ago";
import { aboveCardLink, Card, cardLink } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import menu from "@/ui/Menu.module.css";
import { CardFoot } from "./CardFoot";
import { Marked } from "./Marked";
import { resourceCardMessages as messages } from "./ResourceCard.messages";
import styles from "./ResourceCard.module.css";

const CardActions = lazy(async () => ({ default: (await import("./CardActions")).CardActions }));

const RunBadge = lazy(async () => ({ default: (await import("@/features/catalog/RunBadge")).RunBadge }));

const StatusBadge = lazy(async () => ({
  default: (await import("@/features/catalog/curation/StatusBadge")).StatusBadge,
}));

interface ResourceCardProps {
  resource: Resource;
  /** The query of the catalog page that shows it, for the way back. */
  from?: string | undefined;
  /** The tags that were filtered by. */
  chosen?: readonly string[] | undefined;
}

/** The tags that a card shows: those with the highest weight, in the order of the alphabet where it is equal. */
function first<Tag>(tags: Tag[], weight: (tag: Tag) => number): Tag[] {
  return tags.toSorted((a, b) => weight(b) - weight(a)).slice(0, cardTags);
}

/** An entry as a specimen label. The whole card is a link, which opens the entry in a new tab. */
export function ResourceCard({ resource, from, chosen = [] }: ResourceCardProps) {
  const { name, type, description, tags, privacy, createdAt, version, canDelete, lastRun } = resource;
  const matches = (field: SearchMatch["field"], text?: string) =>
    resource.matched?.find((match) => match.field === field && (text === undefined || match.text === text));
  const content = matches("content");
  const shownTags = first(inOrder(tags), ({ value }) =>
    chosen.includes(value) ? 2 : Number(matches("tags", value) !== undefined),
  );
  const acts = canDelete || (resource.canCurate && !resource.hidden);
  return (
    <Card tone={kindOf(type).tone} linked>
      {resource.coverKind === "drawing" ? (
        <div className={styles.band} />
      ) : (
        <Cover resource={resource} className={styles.picture} />
      )}
      <div className={styles.top}>
        <TypeBadge type={type} />
        {version && <span className={styles.version}>{version}</span>}
        {(resource.status !== "NONE" || resource.hidden || resource.closed) && (
          <Suspense>
            <StatusBadge resource={resource} />
          </Suspense>
        )}
        {privacy === "PRIVATE" && (
          <span className={styles.private} title={messages.private}>
            <Icon name="eyeOff" />
            <span className="visually-hidden">{messages.private}</span>
          </span>
        )}
        <Ago className={styles.date} moment={createdAt} />
        {acts && (
          <Suspense
            fallback={
              <button
                type="button"
                disabled
                className={classes(menu.button, aboveCardLink)}
                aria-label={messages.actions(name)}
              >
                <Icon name="more" />
              </button>
            }
          >
            <CardActions resource={resource} />
          </Suspense>
        )}
      </div>
      <h3 className={styles.name}>
        <a className={cardLink} href={resourcePath(resource, from)} target="_blank" rel="noopener">
          <Marked text={name} marks={matches("name")?.marks} />
        </a>
      </h3>
      {(lastRun || resource.dataMissing) && (
        <p className={styles.condition}>
          <DataBadge resource={resource} />
          {lastRun && (
            <Suspense>
              <RunBadge run={lastRun} />
            </Suspense>
          )}
        </p>
      )}
      {content ? (
        <p className={styles.description}>
          {messages.inFiles} <Marked {...content} />
        </p>
      ) : (
        description !== "" && (
          <p className={styles.description}>
            <Marked {...(matches("description") ?? { text: description })} />
          </p>
        )
      )}
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label={messages.tags}>
          {shownTags.map((tag) => (
            <li key={tag.id} className={classes(chosen.includes(tag.value) && styles.chosen)}>
              <Marked text={tag.value} marks={matches("tags", tag.value)?.marks} />
            </li>
          ))}
          {tags.length > cardTags && <li className={styles.more}>{messages.moreTags(tags.length - cardTags)}</li>}
        </ul>
      )}
      <CardFoot resource={resource} className={styles.foot} />
    </Card>
  );
}
