export const jobsLinkMessages = {
  jobs: "Jobs",
  live: (jobs: number) => `Jobs (${jobs} running)`,
} as const;
