export const newJobMessages = {
  window: "New job",
  title: (notebook: string) => `Run ${notebook} as a job`,
  subtitle:
    "The whole notebook runs in a session of its own, with the values you set here. You can close this page meanwhile.",
  loading: "Loading the notebook",
  absent: "There is nothing to run at this address.",
  absentWhy: "The entry, project or session doesn't exist, or it isn't yours to see.",
  failure: "What would run couldn't be loaded.",
} as const;
