import { useState } from "react";
import { useConfig } from "@/api/config";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { firstValues, type Origin, type Values } from "./draft";
import { WorkshopForm } from "./WorkshopForm";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";
import { isZone, ownZone, wallAt } from "./zoned";

/** /workshops/new: the address may say what it runs, or of which event it is. */
export function NewWorkshopPage() {
  const [params] = useSearchParams();
  const { events } = useConfig().site;
  const [initial] = useState((): Values => {
    const first = firstValues(ownZone(), Date.now());
    const event = events.find(({ slug }) => slug === params.get("event"));
    const zone = event?.timezone && isZone(event.timezone) ? event.timezone : first.zone;
    const span = event?.startsAt && event.endsAt ? [wallAt(event.startsAt, zone), wallAt(event.endsAt, zone)] : [];
    const [start, end] = span;
    return {
      ...first,
      origin: originIn(params),
      ...(event && {
        event: event.slug,
        name: event.title,
        zone,
        date: start?.date ?? event.startsOn,
        ...(start && end && { from: start.time, to: end.time }),
      }),
    };
  });
  return (
    <Page title={messages.newTitle} subtitle={messages.newSubtitle} above={<BackLink to="/workshops" />} width="narrow">
      <WorkshopForm initial={initial} />
    </Page>
  );
}

function originIn(params: URLSearchParams): Origin | undefined {
  for (const of of ["entry", "project"] as const) {
    const id = params.get(of);
    if (id && isId(id)) return { of, id };
  }
  return undefined;
}
