import { day } from "@/lib/format";
import { Filled } from "@/ui/Filled";
import { Link } from "@/ui/router";
import { PrepareLink } from "./PrepareLink";
import { prepareLinkMessages as messages } from "./PrepareLink.messages";
import { entryPath } from "./paths";
import type { EventWorkshop } from "./types";

/** The workshops of an event that took place, and the way to prepare one. */
export function EventWorkshops({ slug, held }: { slug: string; held: EventWorkshop[] }) {
  return (
    <>
      {held.map(({ name, startsAt, entry }) => (
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
    </>
  );
}
