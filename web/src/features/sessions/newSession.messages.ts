export const newSessionMessages = {
  title: "New session",
  cancel: "Cancel",
  create: "Create session",
  runsProject: "Opens the project {name} in a new tab.",
  runsEntry: "Opens {name} in a new tab.",
  cannotStart: "Sessions cannot be started here.",
  name: "Session name",
  nameHelp: "Session names are private: only you see them.",
  nameRequired: "Session name is required",
  nameTooLong: (most: number) => `At most ${most} characters.`,
  defaultName: (day: string, project: string) => `${day} ${project} Session`,
  engine: "Where it runs",
} as const;
