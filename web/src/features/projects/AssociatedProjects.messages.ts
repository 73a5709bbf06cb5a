export const associatedProjectsMessages = {
  title: "Associated Projects",
  cannotLoad: "The projects with this entry cannot be loaded.",
} as const;
