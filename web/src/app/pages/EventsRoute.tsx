import { lazy, Suspense } from "react";
import { EventsPage } from "@/features/events/EventsPage";
import { useAuth } from "@/features/identity/useAuth";

const EventWorkshops = lazy(async () => ({
  default: (await import("@/features/workshops/EventWorkshops")).EventWorkshops,
}));

/** The events, with the workshops that took place here. */
export function EventsRoute() {
  const { state } = useAuth();
  const today = new Date().toISOString().slice(0, 10);
  return (
    <EventsPage
      workshops={({ slug, startsOn }) => {
        const begun = startsOn <= today;
        return (
          (begun || state === "authenticated") && (
            <Suspense>
              <EventWorkshops slug={slug} begun={begun} />
            </Suspense>
          )
        );
      }}
    />
  );
}
