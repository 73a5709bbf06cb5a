import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EventsPage } from "@/features/events/EventsPage";
import { useAuth } from "@/features/identity/useAuth";
import { heldQuery } from "@/features/workshops/heldQuery";

const EventWorkshops = lazy(async () => ({
  default: (await import("@/features/workshops/EventWorkshops")).EventWorkshops,
}));

/** The events, with the workshops that took place here, and the way to prepare one for people who have signed in. */
export function EventsRoute() {
  const signedIn = useAuth().state === "authenticated";
  const { data = [] } = useQuery(heldQuery(signedIn));
  return (
    <EventsPage
      workshops={({ slug }) => {
        const held = data.filter(({ event }) => event === slug);
        return (
          (signedIn || held.length > 0) && (
            <Suspense>
              <EventWorkshops slug={slug} held={held} />
            </Suspense>
          )
        );
      }}
    />
  );
}
