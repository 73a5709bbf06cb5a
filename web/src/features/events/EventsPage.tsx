import { useConfig } from "@/api/config";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { Event } from "./Event";
import { eventsMessages as messages } from "./EventsPage.messages";

/** The workshops. The first one is expanded, and any number can be. */
export function EventsPage() {
  const { events } = useConfig().site;
  return (
    <Page subtitle={messages.subtitle}>
      {events.length === 0 && <Empty title={messages.none} />}
      {events.map((event, index) => (
        <Event key={event.slug} event={event} first={index === 0} />
      ))}
    </Page>
  );
}
