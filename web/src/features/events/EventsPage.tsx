import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import type { Config } from "@/api/types";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { Event } from "./Event";
import { eventsMessages as messages } from "./EventsPage.messages";

interface EventsPageProps {
  /** Renders the workshops of an event that took place on this server. */
  workshops: (event: Config["site"]["events"][number]) => ReactNode;
}

/** The events. The first one is expanded, and any number can be. */
export function EventsPage({ workshops }: EventsPageProps) {
  const { events } = useConfig().site;
  return (
    <Page subtitle={messages.subtitle}>
      {events.length === 0 && <Empty title={messages.none} />}
      {events.map((event, index) => (
        <Event key={event.slug} event={event} first={index === 0}>
          {workshops(event)}
        </Event>
      ))}
    </Page>
  );
}
