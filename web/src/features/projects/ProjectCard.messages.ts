export const projectCardMessages = {
  published: "Published",
  actions: (project: string) => `Actions for project ${project}`,
  run: "Run",
  share: "Share",
  added: (day: string) => `Added ${day}`,
  parts: (project: string) => `Parts of ${project}`,
  delete: (project: string) => `Delete project ${project}`,
} as const;
