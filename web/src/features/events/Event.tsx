import type { ReactNode } from "react";
import type { Config } from "@/api/types";
import { escapeTag } from "@/lib/tags";
import { CopyButton } from "@/ui/CopyButton";
import { Fold } from "@/ui/Fold";
import { Icon } from "@/ui/Icon";
import { TextLink } from "@/ui/TextLink";
import { Agenda } from "./Agenda";
import { eventMessages as messages } from "./Event.messages";
import styles from "./Event.module.css";

interface EventProps {
  event: Config["site"]["events"][number];
  first: boolean;
  /** Below what is known of it. */
  children?: ReactNode;
}

/** One workshop. Its slug as the address's fragment expands it and scrolls to it. */
export function Event({ event, first, children }: EventProps) {
  const { title, slug, date, startsOn, when, place, tag, links, agenda } = event;
  const address = `${window.location.origin}/events#${slug}`;

  return (
    <Fold
      anchor={slug}
      open={first}
      summaryClass={styles.summary}
      summary={
        <>
          <h2>{title}</h2>
          <time dateTime={startsOn}>{date}</time>
        </>
      }
    >
      {when && (
        <p className={styles.fact}>
          <span className={styles.sign}>
            <Icon name="calendar" />
          </span>
          {when}
        </p>
      )}
      {place && (
        <p className={styles.fact}>
          <span className={styles.sign}>
            <Icon name="place" />
          </span>
          {place}
        </p>
      )}
      <div className={styles.ways}>
        <ul className={styles.links}>
          {links.map((link) => (
            <li key={link.href}>
              <TextLink href={link.href}>{link.text}</TextLink>
            </li>
          ))}
          {tag && (
            <li>
              <TextLink href={`/resources?${new URLSearchParams({ tags: escapeTag(tag) })}`}>
                {messages.entries}
              </TextLink>
            </li>
          )}
          <li>
            <a href={`/events/${slug}.ics`} download={`${slug}.ics`} aria-label={messages.calendarOf(title)}>
              <Icon name="download" size={16} />
              {messages.calendar}
            </a>
          </li>
        </ul>
        <CopyButton text={address} label={messages.copyLinkTo(title)} icon="link" size="small">
          {messages.copyLink}
        </CopyButton>
      </div>
      {agenda && <Agenda title={title} agenda={agenda} />}
      {children}
    </Fold>
  );
}
