export const sessionLifeMessages = {
  stopping: "It's being stopped. Its work is kept.",
  startsInTab: "It opens in its own tab.",
  queued: (place: number) => `Number ${place} in the queue. It starts automatically when there's room.`,
  waits: (place: number, why: string) => `${why} Number ${place} in the queue.`,
  cancel: "Cancel",
  starting: "Starting",
  underWay: (step: string) => `${step}. Open shows all steps.`,
  stops: (when: string) => `Stops ${when} if idle.`,
  who: {
    you: "You can fix this.",
    authors: "The authors can fix this.",
    operators: "The operators can fix this.",
  },
  unknownReason: "It failed for an unknown reason.",
  again: "Open starts it again with your files.",
  kept: (day: string) => `Its work is kept at least until ${day}.`,
} as const;
