export const sessionLifeMessages = {
  stopping: "It is being stopped. Its work is kept.",
  startsInTab: "It starts in its own tab.",
  queued: (place: number) => `Number ${place} in the queue. It starts by itself when there is room.`,
  waits: (place: number, why: string) => `${why} Number ${place} in the queue.`,
  cancel: "Cancel",
  starting: "Starting",
  underWay: (step: string) => `${step}. Open shows all steps.`,
  stops: (when: string) => `Stops ${when} unless it is used.`,
  who: {
    you: "You can fix this.",
    authors: "The authors can fix this.",
    operators: "The operators can fix this.",
  },
  unknownReason: "It broke for a reason that is not known.",
  kept: (day: string) => `Its files stay until ${day}. Later the operators may remove them.`,
} as const;
