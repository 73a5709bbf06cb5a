export const prepareLinkMessages = {
  prepare: "Prepare a workshop",
  took: "This took place with {entry}, {day}.",
  tookWithout: (name: string, day: string) => `${name} took place, ${day}.`,
} as const;
