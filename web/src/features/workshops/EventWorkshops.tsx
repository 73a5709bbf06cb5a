import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { day } from "@/lib/format";
import { Filled } from "@/ui/Filled";
import { Link } from "@/ui/router";
import { useNear } from "@/ui/useNear";
import { PrepareLink } from "./PrepareLink";
import { prepareLinkMessages as messages } from "./PrepareLink.messages";
import { entryPath } from "./paths";
import { eventWorkshopsQuery } from "./queries";

/** The workshops of an event: those that took place, and the way to prepare one. */
export function EventWorkshops({ slug, begun }: { slug: string; begun: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  // An event that is folded away asks for nothing.
  const near = useNear(place, 400);
  const { data = [] } = useQuery({ ...eventWorkshopsQuery(slug), enabled: near && begun });
  return (
    <div ref={place}>
      {data
        .filter(({ state }) => state === "ENDED")
        .map(({ name, startsAt, entry }) => (
          <p key={`${name} ${startsAt}`}>
            {entry ? (
              <Filled
                text={messages.took}
                values={{
                  entry: (
                    <Link to={entryPath(entry)}>
                      <bdi>{entry.name}</bdi>
                    </Link>
                  ),
                  day: <time dateTime={startsAt}>{day(startsAt)}</time>,
                }}
              />
            ) : (
              messages.tookWithout(name, day(startsAt))
            )}
          </p>
        ))}
      <PrepareLink of="event" id={slug} small />
    </div>
  );
}
