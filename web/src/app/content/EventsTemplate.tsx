import { agendaMessages } from "@/features/events/Agenda.messages";
import agenda from "@/features/events/Agenda.module.css";
import { eventMessages } from "@/features/events/Event.messages";
import styles from "@/features/events/Event.module.css";
import { eventsMessages as messages } from "@/features/events/EventsPage.messages";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import fold from "@/ui/Fold.module.css";
import { Icon } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import { address, If, part, Range, text } from "./actions";

/** An attribute of details, in whose place build/content.ts opens the first of them. */
const openIfFirst = { "data-open": "eq $index 0" };

/** The workshops as EventsPage shows them. Without scripts too, each can be expanded. */
export function EventsTemplate() {
  return (
    <Page subtitle={messages.subtitle}>
      <If of=".Events" otherwise={<Empty title={messages.none} />}>
        <Range of="$index, $event := .Events">
          <details id={text(".Slug")} className={fold.fold} {...openIfFirst}>
            <summary className={`${fold.summary} ${styles.summary}`}>
              <Icon name="chevronDown" />
              <h2>{text(".Title")}</h2>
              <time dateTime={text(".StartsOn")}>{text(".Date")}</time>
            </summary>
            <div className={fold.body}>
              <If of=".When">
                <p className={styles.fact}>
                  <span className={styles.sign}>
                    <Icon name="calendar" />
                  </span>
                  {text(".When")}
                </p>
              </If>
              <If of=".Place">
                <p className={styles.fact}>
                  <span className={styles.sign}>
                    <Icon name="place" />
                  </span>
                  {text(".Place")}
                </p>
              </If>
              <div className={styles.ways}>
                <ul className={styles.links}>
                  <Range of=".Links">
                    <li>
                      <a href={address(".Href")} rel="noopener noreferrer">
                        {text(".Text")}
                      </a>
                    </li>
                  </Range>
                  <If of=".Tag">
                    <li>
                      <a href={`/resources?${new URLSearchParams({ tags: part("tagInList .Tag") })}`}>
                        {eventMessages.entries}
                      </a>
                    </li>
                  </If>
                  <li>
                    <a
                      href={address("calendarOf .Slug")}
                      download
                      aria-label={eventMessages.calendarOf(text(".Title"))}
                    >
                      <Icon name="download" size={16} />
                      {eventMessages.calendar}
                    </a>
                  </li>
                </ul>
                <CopyButton text="" label={eventMessages.copyLinkTo(text(".Title"))} icon="link" size="small">
                  {eventMessages.copyLink}
                </CopyButton>
              </div>
              <If of=".Agenda">
                <Agenda />
              </If>
            </div>
          </details>
        </Range>
      </If>
    </Page>
  );
}

function Agenda() {
  return (
    <table className={agenda.table} aria-label={agendaMessages.agendaOf(text(".Title"))}>
      <thead>
        <tr>
          <Range of=".Agenda.Columns">
            <th scope="col">{text(".")}</th>
          </Range>
        </tr>
      </thead>
      <tbody>
        <Range of=".Agenda.Rows">
          <If of=".Break" otherwise={<Row />}>
            <Row className={agenda.break} />
          </If>
        </Range>
      </tbody>
    </table>
  );
}

function Row({ className }: { className?: string | undefined }) {
  return (
    <tr className={className}>
      <td className={agenda.time}>{text(".Time")}</td>
      <td className={agenda.topic}>
        <If of=".Entry" otherwise={text(".Topic")}>
          <a href={`/resources?${new URLSearchParams({ searchText: part("quoted .Entry") })}`}>{text(".Topic")}</a>
        </If>
      </td>
      <td>{text(".Format")}</td>
      <td>
        {text('join .Speakers ", "')}
        <If of=".Href">
          <a href={address(".Href")} rel="noopener noreferrer">
            {text("withoutScheme .Href")}
          </a>
        </If>
      </td>
    </tr>
  );
}
