import { useConfig } from "@/api/config";
import { Empty } from "@/ui/Empty";
import { Icon } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import { TextLink } from "@/ui/TextLink";
import { Agenda } from "./Agenda";
import styles from "./EventsPage.module.css";
import { eventsMessages as messages } from "./messages";

/** The workshops. The first is open, and any number of them may be. */
export function EventsPage() {
  const { events } = useConfig().site;
  return (
    <Page title={messages.title} subtitle={messages.subtitle}>
      {events.length === 0 && <Empty title={messages.none} />}
      {events.map((event, index) => (
        <details key={event.title} className={styles.event} open={index === 0}>
          <summary className={styles.summary}>
            <Icon name="chevronDown" />
            <h2>{event.title}</h2>
            <time dateTime={event.startsOn}>{event.date}</time>
          </summary>
          <div className={styles.body}>
            {(event.when || event.place) && <p>{[event.when, event.place].filter(Boolean).join(" · ")}</p>}
            <ul className={styles.links}>
              {event.links.map((link) => (
                <li key={link.href}>
                  <TextLink href={link.href}>{link.text}</TextLink>
                </li>
              ))}
            </ul>
            {event.agenda && <Agenda title={event.title} agenda={event.agenda} />}
          </div>
        </details>
      ))}
    </Page>
  );
}
