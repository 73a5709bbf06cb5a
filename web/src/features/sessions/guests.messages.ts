import { count, number } from "@/lib/format";

/** Who else is in a session, or was. */
export const guestsMessages = {
  shared: (ways: number) => `Shared ${number(ways)}`,
  sharedMeans: (ways: number) => `It's shared in ${count(ways, "way", "ways")}`,
  /** People who are there and aren't named: they have a link and no account, or are too many. */
  others: (people: number) => (people === 1 ? "Somebody else" : `${number(people)} other people`),
  /** Those who were there with a link, without an account. */
  people: (people: number) => (people === 1 ? "Somebody with a link" : `${number(people)} people with a link`),
  works: (name: string) => `${name} is here, working in it.`,
  work: (people: number) => `${number(people)} people are here, working in it.`,
  looks: (name: string) => `${name} is looking.`,
  look: (people: number) => `${number(people)} people are looking.`,
  looked: (name: string, when: string) => `${name} looked at it ${when}.`,
  worked: (name: string, when: string) => `${name} worked in it ${when}.`,
} as const;
