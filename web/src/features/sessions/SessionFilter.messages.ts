export const sessionFilterMessages = {
  label: "Show sessions in state",
  all: "All",
} as const;
