export const quickStartMessages = {
  ofProject: (project: string) => `A session of the project ${project}`,
} as const;
