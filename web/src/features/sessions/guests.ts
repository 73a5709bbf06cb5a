import type { Session, Visit } from "@/api/types";
import { ago } from "@/lib/format";
import { guestsMessages as messages } from "./guests.messages";

/** The name of whoever is or was there; people with a link have none, and not everybody of many has. */
export const visitorName = ({ name, people, until }: Pick<Visit, "name" | "people" | "until">): string =>
  name || (until ? messages.people : messages.others)(people);

/** Everybody who is there once: whoever works in a session may look at it too. Those who work in it come first. */
export function peopleIn(present: readonly Visit[]): Visit[] {
  const sorted = present.toSorted((one, other) => Number(one.as === "see") - Number(other.as === "see"));
  return sorted.filter(({ name }, at) => name === "" || sorted.findIndex((other) => other.name === name) === at);
}

/** Who else is in a session now, in sentences; "" for nobody. */
export function presentText(present: readonly Visit[]): string {
  const people = peopleIn(present);
  const working = people.filter(({ as }) => as !== "see");
  const looking = people.filter(({ as }) => as === "see");
  return [sentence(working, messages.works, messages.work), sentence(looking, messages.looks, messages.look)]
    .filter((text) => text !== "")
    .join(" ");
}

function sentence(visits: readonly Visit[], one: (name: string) => string, many: (people: number) => string): string {
  const people = visits.reduce((sum, visit) => sum + visit.people, 0);
  const [first] = visits;
  if (!first) return "";
  return people === 1 ? one(visitorName(first)) : many(people);
}

/** Who was in a session last, and when; "" for nobody. */
export function lastVisitText({ visits = [] }: Pick<Session, "visits">, now: number): string {
  const [last] = visits.toSorted((one, other) => (other.until ?? "").localeCompare(one.until ?? ""));
  if (!last?.until) return "";
  return (last.as === "see" ? messages.looked : messages.worked)(visitorName(last), ago(last.until, now));
}
