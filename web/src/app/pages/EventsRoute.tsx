import { lazy, Suspense } from "react";
import { EventsPage } from "@/features/events/EventsPage";
import { useAuth } from "@/features/identity/useAuth";

const EventWorkshops = lazy(async () => ({
  default: (await import("@/features/workshops/EventWorkshops")).EventWorkshops,
}));

/** The events, with the workshops that took place here for people who have signed in: the page asks nothing for others. */
export function EventsRoute() {
  const { state } = useAuth();
  const today = new Date().toISOString().slice(0, 10);
  return (
    <EventsPage
      workshops={({ slug, startsOn }) =>
        state === "authenticated" && (
          <Suspense>
            <EventWorkshops slug={slug} begun={startsOn <= today} />
          </Suspense>
        )
      }
    />
  );
}
